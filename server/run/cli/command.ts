import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "@/db/thrown";

/** A mistake in how a command was called; shown with its usage. */
export class UsageError extends Error {}

export type Command = {
  /** Arguments behind the command's name. */
  usage: string;
  summary: string;
  /** Answers the exit code. */
  run: (args: string[]) => Promise<number>;
  /** The exit code when it could not be done at all; by default 1, which a command whose 1 has a meaning must not use. */
  failed?: number;
};

/** Characters that a terminal acts upon: control characters, and marks that turn the reading direction. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/** A text that comes out of a file, with JSON's escapes for what is not seen: it must not write a verdict. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Lines, and tabs between columns, are the command's own output. */
const linesOf = (text: string): string => `${text.replace(/[^\n\t]+/g, visible)}\n`;
export const say = (text: string): void => void process.stdout.write(linesOf(text));
export const printNote = (text: string): void => void process.stderr.write(linesOf(text));

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

/** Everything that is on standard input, without the newline at its end. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
