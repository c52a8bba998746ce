import { messageOf } from "@/db/thrown";
import { counted } from "@/server/ground/text";
import { type ChainVerdict, StreamJudge, type StreamVerdict } from "@/server/notify/streams/verify/judge";
import { rangeText } from "@/server/notify/streams/verify/ranges";
import { type Command, printNote, readArgs, say, UsageError, visible } from "./command";
import { openFile, textOf } from "./read-bytes";
import { EXIT_CODE, wordOf } from "./show-verdict";
import { trustOf, trustOptions } from "./trust";

const MAX_FILES = 1_000;
const MAX_SHOWN = 10;

async function addLines(judge: StreamJudge, chunks: AsyncIterable<Buffer>): Promise<void> {
  let rest = "";
  for await (const text of textOf(chunks)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) judge.add(line);
  }
  judge.add(rest);
}

/** Reads a file's lines. @throws Error in words */
async function readInto(judge: StreamJudge, file: string): Promise<void> {
  try {
    await addLines(judge, (await openFile(file)).chunks);
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`);
  }
}

const field = (name: string, text: string): void => say(`  ${name.padEnd(11)}${visible(text)}`);

/** First items, and the number of others. */
function some<T>(items: readonly T[], show: (item: T) => string): string[] {
  const more = items.length - MAX_SHOWN;
  return [...items.slice(0, MAX_SHOWN).map(show), ...(more > 0 ? [`and ${more} more`] : [])];
}

function showCounts({ entries, recomputed, placeOnly, filtered, duplicates, first, last }: ChainVerdict): void {
  const span = first === null ? "" : `, sequence ${first} to ${last}`;
  field("Entries", `${entries}${span}`);
  if (recomputed > 0) field("Contents", `of ${recomputed} recomputed`);
  if (placeOnly > 0) field("Place", `of ${placeOnly} checked, not their contents`);
  if (filtered > 0) field("Filtered", `${filtered} left out by the filter, in their places by checksum`);
  if (duplicates > 0) field("Repeated", `${duplicates} lines that came again, which is harmless`);
}

function showChain(chain: ChainVerdict): void {
  const { status, orgId, origin, checkpoint, signedThrough } = chain;
  say(`${wordOf(status)}: ${visible(origin ?? orgId)}`);
  showCounts(chain);
  for (const text of some(chain.missing, rangeText)) field("Missing", text);
  for (const text of some(chain.altered, ({ seq, reason }) => `sequence ${seq}: ${reason}`)) field("Altered", text);
  if (checkpoint) field("Signed", `through sequence ${signedThrough}, at ${checkpoint.signedAt}`);
  for (const key of chain.signedBy) field("Signed by", key);
  for (const { name, at } of chain.cosignedBy) field("Cosigned", `${name} at ${at}`);
  for (const reason of chain.reasons) field("Not proven", reason);
  for (const notice of chain.notices) field("Note", notice);
}

function show({ chains, otherLines }: StreamVerdict): void {
  for (const chain of chains) showChain(chain);
  if (chains.length > 0 && otherLines > 0)
    say(`${counted(otherLines, "line is", "lines are")} of no stream: receivers add their own.`);
}

async function judgeFiles(args: string[]): Promise<{ verdict: StreamVerdict; json: boolean }> {
  const options = { ...trustOptions, json: { type: "boolean", default: false } } as const;
  const { values, positionals } = readArgs(args, options, MAX_FILES);
  if (positionals.length === 0) throw new UsageError("FILE is needed.");
  const trust = trustOf(values);
  const judge = new StreamJudge();
  for (const file of positionals) await readInto(judge, file);
  return { verdict: judge.finish(trust), json: values.json };
}

/** Verifies a receiver's copy of data streams locally: no configuration, database or network. */
export const verifyStream: Command = {
  usage: "FILE... [--key VERIFIER_KEY]... [--policy FILE] [--json]",
  summary:
    "check what a receiver kept of data streams, plain or gzip; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  async run(args) {
    try {
      const { verdict, json } = await judgeFiles(args);
      if (json) say(JSON.stringify(verdict));
      else show(verdict);
      if (verdict.status === "unreadable") printNote("UNREADABLE no line is of a data stream");
      return EXIT_CODE[verdict.status];
    } catch (error) {
      if (args.includes("--json")) say(JSON.stringify({ status: "unreadable", reason: messageOf(error) }));
      if (error instanceof UsageError) throw error;
      printNote(`UNREADABLE ${visible(messageOf(error))}`);
      return EXIT_CODE.unreadable;
    }
  },
};
