import { messageOf } from "@/db/thrown";
import { counted } from "@/server/ground/text";
import { type ChainVerdict, StreamJudge, type StreamVerdict } from "@/server/notify/streams/verify/judge";
import { rangeText } from "@/server/notify/streams/verify/ranges";
import { type Command, innerField, printNote, readArgs, say, UsageError, visible } from "./command";
import { openFile, textOf } from "./read-bytes";
import { EXIT_CODE, firstOf, judging, wordOf } from "./show-verdict";
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

function showCounts({ entries, recomputed, placeOnly, filtered, duplicates, first, last }: ChainVerdict): void {
  const span = first === null ? "" : `, sequence ${first} to ${last}`;
  innerField("Entries", `${entries}${span}`);
  if (recomputed > 0) innerField("Contents", `of ${recomputed} recomputed`);
  if (placeOnly > 0) innerField("Place", `of ${placeOnly} checked, not their contents`);
  if (filtered > 0) innerField("Filtered", `${filtered} left out by the filter, in their places by checksum`);
  if (duplicates > 0) innerField("Repeated", `${duplicates} lines that came again, which is harmless`);
}

function showChain(chain: ChainVerdict): void {
  const { status, orgId, origin, checkpoint, signedThrough } = chain;
  say(`${wordOf(status)}: ${visible(origin ?? orgId)}`);
  showCounts(chain);
  for (const text of firstOf(chain.missing, MAX_SHOWN, rangeText)) innerField("Missing", text);
  for (const text of firstOf(chain.altered, MAX_SHOWN, ({ seq, reason }) => `sequence ${seq}: ${reason}`))
    innerField("Altered", text);
  if (checkpoint) innerField("Signed", `through sequence ${signedThrough}, at ${checkpoint.signedAt}`);
  for (const key of chain.signedBy) innerField("Signed by", key);
  for (const { name, at } of chain.cosignedBy) innerField("Cosigned", `${name} at ${at}`);
  for (const reason of chain.reasons) innerField("Not proven", reason);
  for (const notice of chain.notices) innerField("Note", notice);
}

function show({ chains, otherLines }: StreamVerdict): void {
  for (const chain of chains) showChain(chain);
  if (chains.length > 0 && otherLines > 0)
    say(`${counted(otherLines, "line is", "lines are")} of no stream: receivers add their own.`);
}

async function judgeFiles(args: string[]): Promise<number> {
  const options = { ...trustOptions, json: { type: "boolean", default: false } } as const;
  const { values, positionals } = readArgs(args, options, MAX_FILES);
  if (positionals.length === 0) throw new UsageError("FILE is needed.");
  const trust = trustOf(values);
  const judge = new StreamJudge();
  for (const file of positionals) await readInto(judge, file);
  const verdict = judge.finish(trust);
  if (values.json) say(JSON.stringify(verdict));
  else show(verdict);
  if (verdict.status === "unreadable") printNote("UNREADABLE no line is of a data stream");
  return EXIT_CODE[verdict.status];
}

/** Verifies a receiver's copy of data streams locally: no configuration, database or network. */
export const verifyStream: Command = {
  usage: "FILE... [--key VERIFIER_KEY]... [--policy FILE] [--json]",
  summary:
    "check what a receiver kept of data streams, plain or gzip; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  run: (args) => judging(args, () => judgeFiles(args)),
};
