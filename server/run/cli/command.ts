import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "@/db/thrown";

/** Wrong usage of a command; shown with its usage. */
export class UsageError extends Error {}

export type Command = {
  /** Arguments after the command's name. */
  usage: string;
  summary: string;
  /** Returns the exit code. */
  run: (args: string[]) => Promise<number>;
  /** Exit code for a failure to run; by default 1, unless 1 has a meaning. */
  failed?: number;
};

/** Characters interpreted by terminals: control characters and direction marks. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Escapes invisible characters of text from a file, which must not forge a verdict. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The command's own output may contain line breaks and tabs. */
const linesOf = (text: string): string => `${text.replace(/[^\n\t]+/g, visible)}\n`;
export const say = (text: string): void => void process.stdout.write(linesOf(text));
export const printNote = (text: string): void => void process.stderr.write(linesOf(text));

/** A named value of a report, and one of its parts. */
export const field = (name: string, text: string): void => say(`${name.padEnd(11)}${visible(text)}`);
export const innerField = (name: string, text: string): void => say(`  ${name.padEnd(11)}${visible(text)}`);

type Options = NonNullable<ParseArgsConfig["options"]>;

/** @throws UsageError for an unknown or incomplete option, or too many arguments */
export function readArgs<const O extends Options>(args: string[], options: O, words = 0) {
  try {
    const found = parseArgs({ args, options, allowPositionals: words > 0, strict: true });
    if (found.positionals.length > words) throw new Error(`Unexpected "${found.positionals[words]}".`);
    return found;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

export function required(value: string | undefined, name: string): string {
  if (!value) throw new UsageError(`${name} is needed.`);
  return value;
}

/** Reads standard input without its final newline. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
