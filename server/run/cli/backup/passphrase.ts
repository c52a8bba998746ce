import { readFileSync } from "node:fs";
import { messageOf } from "@/db/thrown";
import { UsageError } from "@/server/run/cli/command";

/** The first line of the file that an option names. */
export function readPassphrase(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8").split(/\r?\n/, 1)[0];
  } catch (error) {
    throw new UsageError(`--keys-passphrase-file: ${messageOf(error)}`);
  }
}
