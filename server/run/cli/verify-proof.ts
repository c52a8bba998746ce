import { MAX_PROOF_CHARACTERS } from "@/server/evidence/proofs/entry-proof";
import { judgeProof, type ProofVerdict } from "@/server/evidence/proofs/judge-proof";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { timeOfSeconds } from "@/server/evidence/tree/statement";
import { field, printNote, say, visible } from "./command";
import { EXIT_CODE, type VerifyOptions, wordOf } from "./show-verdict";

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
export async function verifyProofFile(
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
