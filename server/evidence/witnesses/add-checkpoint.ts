import { MAX_SECONDS } from "@/server/evidence/tree/instant";
import type { Witness } from "@/server/evidence/tree/policy";
import {
  checkCosignature,
  formatNote,
  type NoteSignature,
  type NoteTools,
  parseNote,
  type SignedNote,
  toBase64,
} from "@/server/evidence/tree/signed-note";

/**
 * The client's half of add-checkpoint (c2sp.org/tlog-witness): what a witness is asked and what its answer means. Pure:
 * sending is passed in by the caller.
 */

/** What came back over the wire; `type` is the Content-Type. */
export type WitnessReply = { status: number; type: string | null; body: string };

export type ReplyMeaning =
  | { kind: "cosigned"; signature: NoteSignature; seconds: number }
  /** It cosigned another size than it was asked from: a smaller one, or one that is ahead of our log. */
  | { kind: "other size"; size: number }
  /** It names no size in a conflict: asked from the checkpoint's own size, it holds another root of that size. */
  | { kind: "conflict"; reason: string }
  /** It holds a log that is not a beginning of our log. */
  | { kind: "contradicted"; reason: string }
  | { kind: "refused"; reason: string };

const SIZE = /^(0|[1-9]\d{0,14})\n?$/;
const SIZE_TYPE = "text/x.tlog.size";
const MAX_REASON = 200;

/**
 * The body of a request.
 * @param older the size that the witness is thought to have cosigned last
 * @param proof the consistency proof from there to the checkpoint; empty for 0 and for its own size
 */
export function requestBody(older: number, proof: readonly Uint8Array[], note: SignedNote): string {
  return `${[`old ${older}`, ...proof.map(toBase64)].join("\n")}\n\n${formatNote(note.text, note.signatures)}`;
}

type Submission = { note: SignedNote; witness: Witness };

/** The witness's own line among those that it sent; the others are left alone. */
function cosignatureIn(tools: NoteTools, body: string, { note, witness: { key } }: Submission): ReplyMeaning {
  const lines = parseNote(`\n\n${body}`)?.signatures ?? [];
  const signature = lines.find(({ name, id }) => name === key.name && id === key.id);
  if (!signature) return { kind: "refused", reason: "its answer holds no signature of its key" };
  const { seconds } = checkCosignature(tools, { text: note.text, signatures: [signature] }, key);
  if (seconds === null) return { kind: "refused", reason: "its signature does not hold" };
  if (seconds > MAX_SECONDS) return { kind: "refused", reason: `it names a time beyond the year 9999: ${seconds} s` };
  return { kind: "cosigned", signature, seconds };
}

/** What a witness's answer to a note means. */
export function readReply(tools: NoteTools, reply: WitnessReply, submission: Submission): ReplyMeaning {
  if (reply.status === 200) return cosignatureIn(tools, reply.body, submission);
  const size = reply.status === 409 && reply.type?.startsWith(SIZE_TYPE) ? SIZE.exec(reply.body)?.[1] : undefined;
  if (size !== undefined) return { kind: "other size", size: Number(size) };
  const firstLine = reply.body.split("\n", 1)[0]?.slice(0, MAX_REASON) ?? "";
  const reason = `it answered ${reply.status}${firstLine ? `: ${firstLine}` : ""}`;
  if (reply.status === 409) return { kind: "conflict", reason };
  return reply.status === 422 ? { kind: "contradicted", reason } : { kind: "refused", reason };
}
