import { resolve } from "node:path";
import { messageOf } from "@/db/thrown";
import { type KeptNote, readKeptNote } from "@/server/evidence/bundle/trust";
import { verifyBundle } from "@/server/evidence/bundle/verify";
import { isEntryProof, MAX_PROOF_CHARACTERS } from "@/server/evidence/proofs/entry-proof";
import { judgeProof, type ProofVerdict, type Trust } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { timeOfSeconds } from "@/server/evidence/tree/statement";
import { type Command, field, printNote, readArgs, required, say, UsageError, visible } from "./command";
import { openFile, readText, textOf } from "./read-bytes";
import { EXIT_CODE, judging, showVerdict, type VerifyOptions, wordOf } from "./show-verdict";
import { stampCheck } from "./stamp";
import { readOption, trustOf, trustOptions } from "./trust";

/**
 * Checkpoint from --since, checked against the trusted keys.
 * @throws UsageError if the file has none
 */
function readSince(file: string | undefined, trust: Trust): KeptNote | null {
  if (file === undefined) return null;
  const kept = readKeptNote(noteTools, readOption("--since", file), trust);
  if (!kept) throw new UsageError(`--since: ${file} is not a signed checkpoint of a Trailmark log.`);
  return kept;
}

/** Judges an evidence bundle. @returns the exit code @throws Error when it cannot be read to its end */
async function verifyBundleFile(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  { trust, json, since, tsa }: VerifyOptions & { since: KeptNote | null; tsa: string | undefined },
): Promise<number> {
  const verdict = await verifyBundle(chunks, noteTools, {
    trust,
    since,
    stamp: tsa ? stampCheck(tsa) : undefined,
  });
  if (json) say(JSON.stringify(verdict));
  else if (verdict.status !== "unreadable") showVerdict(verdict, trust.logs.length > 0);
  if (verdict.status === "unreadable")
    printNote(`UNREADABLE ${visible(file)}: line ${verdict.line}: ${verdict.reason}`);
  return EXIT_CODE[verdict.status];
}

/** Verifies an evidence bundle or an entry's proof locally: no configuration, database or network. */
export const verify: Command = {
  usage: "FILE [--key VERIFIER_KEY]... [--policy FILE] [--since NOTE] [--tsa CERTIFICATES] [--json]",
  summary:
    "check an evidence bundle or the proof of an entry; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  run: (args) => judging(args, () => verifyFile(args), { line: 0 }),
};

async function verifyFile(args: string[]): Promise<number> {
  const options = {
    ...trustOptions,
    since: { type: "string" },
    tsa: { type: "string" },
    json: { type: "boolean", default: false },
  } as const;
  const { values, positionals } = readArgs(args, options, 1);
  const file = required(positionals[0], "FILE");
  const trust = trustOf(values);
  const { json } = values;
  const tsa = values.tsa && resolve(values.tsa);
  if (tsa) readText(tsa);
  const since = readSince(values.since, trust);
  try {
    const { start, chunks } = await openFile(file);
    if (!isEntryProof(start.toString("utf8"))) return await verifyBundleFile(file, chunks, { trust, json, since, tsa });
    if (tsa) throw new UsageError("--tsa: the proof of an entry holds no time-stamp.");
    if (since) throw new UsageError("--since: the proof of an entry holds no proof from an older checkpoint.");
    return await verifyProofFile(file, textOf(chunks), { trust, json });
  } catch (error) {
    throw error instanceof UsageError ? error : new Error(`${file}: ${messageOf(error)}`);
  }
}

type Judged = Exclude<ProofVerdict, { status: "unreadable" }>;

const isoOf = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms));

function describeEntry({ row, checkpoint }: Judged): void {
  if (!row || !checkpoint) return;
  const { chainSeq, timestampMs, actorEmail, actorId, action, resourceName, resourceType, result } = row;
  field("Entry", `${row.id} of ${isoOf(Number(timestampMs))}`);
  field("", `${actorEmail ?? actorId} · ${action} · ${resourceName ?? resourceType} · ${result}`);
  field("Position", `entry ${chainSeq} of ${checkpoint.size} in ${checkpoint.origin}`);
}

function describe(verdict: Judged): void {
  field(wordOf(verdict.status), verdict.status === "intact" ? "the entry is part of the signed log" : "");
  describeEntry(verdict);
  for (const name of verdict.signedBy) field("Signed by", `${name}, at ${verdict.checkpoint?.signedAt}`);
  for (const { name, seconds } of verdict.cosignedBy)
    if (seconds !== null) field("Cosigned", `by witness ${name}, at ${timeOfSeconds(seconds)}`);
  if (verdict.unchecked.length > 0) field("Unchecked", `signatures of unknown keys: ${verdict.unchecked.join(" ")}`);
  for (const reason of verdict.reasons) field(verdict.status === "broken" ? "Reason" : "Missing", reason);
}

/** Text of a proof; if it is too long, only enough of it to detect that. */
async function readAll(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MAX_PROOF_CHARACTERS) break;
  }
  return text;
}

/** Judges a .tlog-proof file. @returns the exit code @throws Error when it cannot be read */
async function verifyProofFile(
  file: string,
  pieces: AsyncIterable<string>,
  { trust, json }: VerifyOptions,
): Promise<number> {
  const verdict = judgeProof(noteTools, await readAll(pieces), trust);
  if (json) say(JSON.stringify(verdict));
  else if (verdict.status !== "unreadable") describe(verdict);
  if (verdict.status === "unreadable") printNote(`UNREADABLE ${visible(file)}: ${verdict.reason}`);
  return EXIT_CODE[verdict.status];
}
