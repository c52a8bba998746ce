import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { messageOf } from "./message-of";
import { type Options, UsageError } from "./options";

/**
 * The enrollment key as it was given: by its file or standard input, so that no list of processes shows it, or on the
 * command line. The first line counts; a byte order mark, which PowerShell may write, does not.
 * @throws UsageError when the file cannot be read or is empty
 */
export async function readEnrollmentKey({
  enrollmentKey,
  enrollmentKeyFile: file,
}: Pick<Options, "enrollmentKey" | "enrollmentKeyFile">): Promise<string | undefined> {
  if (file === undefined) return enrollmentKey;
  const given = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch((error) => {
    throw new UsageError(`--enrollment-key-file: ${messageOf(error)}`);
  });
  const key = given
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/, 1)[0]
    ?.trim();
  if (!key) throw new UsageError("--enrollment-key-file: there is no key in it");
  return key;
}
