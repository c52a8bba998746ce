import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "@/db/thrown";

/** A mistake in how a command was called; told with its usage. */
export class UsageError extends Error {}

export type Command = {
  /** What comes behind the command's name. */
  usage: string;
  summary: string;
  /** Answers the exit code. */
  run: (args: string[]) => Promise<number>;
};

export const say = (line: string): void => void process.stdout.write(`${line}\n`);
export const tell = (line: string): void => void process.stderr.write(`${line}\n`);

type Options = NonNullable<ParseArgsConfig["options"]>;

/** @throws UsageError for an unknown or incomplete option, or more words than there is room for */
export function readArgs<const O extends Options>(args: string[], options: O, words = 0) {
  try {
    const found = parseArgs({ args, options, allowPositionals: words > 0, strict: true });
    if (found.positionals.length > words) throw new Error(`Unexpected "${found.positionals[words]}".`);
    return found;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** The value of an option that must be given. */
export function required(value: string | undefined, name: string): string {
  if (!value) throw new UsageError(`${name} is needed.`);
  return value;
}

/** Everything that stands on standard input, without the newline at its end. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
