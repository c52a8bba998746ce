import { causeOf, messageOf } from "@/db/thrown";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { cosignedBy, meetsQuorum, type Policy, type Witness } from "@/server/evidence/tree/policy";
import {
  checkCosignature,
  formatNote,
  MAX_NOTE_BYTES,
  type NoteSignature,
  type NoteTools,
  parseNote,
  type SignedNote,
  toBase64,
} from "@/server/evidence/tree/signed-note";
import { log } from "@/server/ground/log";
import { witnessPolicy } from "./policy-file";

/**
 * Client side of add-checkpoint (c2sp.org/tlog-witness): requests to a witness and their answers. Pure: the caller
 * passes the transport.
 */

/** Response of a witness; `type` is the Content-Type. */
type WitnessReply = { status: number; type: string | null; body: string };

type ReplyMeaning =
  | { kind: "cosigned"; signature: NoteSignature; seconds: number }
  /** It last cosigned another size than assumed: a smaller one, or one ahead of our log. */
  | { kind: "other size"; size: number }
  /** A conflict without a size: asked from the checkpoint's own size, it has another root for that size. */
  | { kind: "conflict"; reason: string }
  /** Its log is not a prefix of ours. */
  | { kind: "contradicted"; reason: string }
  | { kind: "refused"; reason: string };

const SIZE = /^(0|[1-9]\d{0,14})\n?$/;
const SIZE_TYPE = "text/x.tlog.size";
const MAX_REASON = 200;

/**
 * Body of a request.
 * @param older size that the witness probably cosigned last
 * @param proof consistency proof from there to the checkpoint; empty for 0 and for its own size
 */
function requestBody(older: number, proof: readonly Uint8Array[], note: SignedNote): string {
  return `${[`old ${older}`, ...proof.map(toBase64)].join("\n")}\n\n${formatNote(note.text, note.signatures)}`;
}

type Submission = { note: SignedNote; witness: Witness };

/** The witness's own signature in its answer; others are ignored. */
function cosignatureIn(tools: NoteTools, body: string, { note, witness: { key } }: Submission): ReplyMeaning {
  const lines = parseNote(`\n\n${body}`)?.signatures ?? [];
  const signature = lines.find(({ name, id }) => name === key.name && id === key.id);
  if (!signature) return { kind: "refused", reason: "its answer holds no signature of its key" };
  const { seconds } = checkCosignature(tools, { text: note.text, signatures: [signature] }, key);
  if (seconds === null) return { kind: "refused", reason: "its signature does not hold" };
  return { kind: "cosigned", signature, seconds };
}

/** Interprets a witness's answer to a note. */
function readReply(tools: NoteTools, reply: WitnessReply, submission: Submission): ReplyMeaning {
  if (reply.status === 200) return cosignatureIn(tools, reply.body, submission);
  const size = reply.status === 409 && reply.type?.startsWith(SIZE_TYPE) ? SIZE.exec(reply.body)?.[1] : undefined;
  if (size !== undefined) return { kind: "other size", size: Number(size) };
  const firstLine = reply.body.split("\n", 1)[0]?.slice(0, MAX_REASON) ?? "";
  const reason = `it answered ${reply.status}${firstLine ? `: ${firstLine}` : ""}`;
  if (reply.status === 409) return { kind: "conflict", reason };
  return reply.status === 422 ? { kind: "contradicted", reason } : { kind: "refused", reason };
}

/** Result of asking the witnesses about one checkpoint. */
export type Cosigning = {
  /** Lines to append to the note, in the policy's order, without earlier cosignatures. */
  signatures: NoteSignature[];
  /** Witnesses with another or a longer history. */
  alarms: { witness: string; knownSize: number; reason: string }[];
  /** Whether enough of them signed; true if none is required. */
  isWitnessed: boolean;
};

/** Last size that each witness cosigned, as far as known; a wrong guess costs a second request. */
const known = new Map<string, number>();
/** Last refusal of each witness, so that it is logged only once. */
const reasons = new Map<string, string>();

/** Witnesses that timed out are skipped for a minute, so that they delay only one checkpoint. */
const retryAt = new Map<string, number>();
const RETRY_AFTER_MS = 60_000;

type Reachable = Witness & { url: string };
const hasUrl = (witness: Witness): witness is Reachable => witness.url !== null;

function warnOnce(key: string, witness: Witness, outcome: Exclude<WitnessOutcome, { kind: "cosigned" }>): void {
  if (reasons.get(key) === outcome.reason) return;
  reasons.set(key, outcome.reason);
  log.warn({ witness: witness.name, outcome: outcome.kind, reason: outcome.reason }, "a witness did not cosign");
}

async function askOne(witness: Reachable, origin: string, checkpoint: Unwitnessed): Promise<WitnessOutcome> {
  const name = `${witness.key.id} ${witness.url}`;
  if ((retryAt.get(name) ?? 0) > Date.now())
    return { kind: "missing", reason: "it did not answer in time and is left alone for a minute" };
  const key = `${name} ${origin}`;
  const outcome = await askWitness(witness, checkpoint, { known: known.get(key) ?? 0 });
  if (outcome.kind === "missing" && outcome.isSlow) retryAt.set(name, Date.now() + RETRY_AFTER_MS);
  if (outcome.kind === "cosigned") {
    known.set(key, checkpoint.size);
    reasons.delete(key);
  } else warnOnce(key, witness, outcome);
  return outcome;
}

/**
 * Asks every witness that has not cosigned a checkpoint, all at once; takes at most 5 s once a minute on failures, and
 * never rejects. Returns at once without a policy.
 * @param origin the log's origin, the note's first line
 */
export async function cosign(
  origin: string,
  checkpoint: Unwitnessed,
  policy: Policy | null = witnessPolicy(),
): Promise<Cosigning> {
  if (!policy) return { signatures: [], alarms: [], isWitnessed: true };
  const before = cosignedBy(noteTools, policy, checkpoint.note).map(({ witness }) => witness);
  const reachable = policy.witnesses.filter(hasUrl).filter((witness) => !before.includes(witness));
  const outcomes = await Promise.all(
    reachable.map(async (witness) => ({ witness, outcome: await askOne(witness, origin, checkpoint) })),
  );
  const signed = outcomes.filter(({ outcome }) => outcome.kind === "cosigned").map(({ witness }) => witness);
  const isWitnessed = meetsQuorum(policy.quorum, [...before, ...signed]);
  return {
    signatures: outcomes.flatMap(({ outcome }) => (outcome.kind === "cosigned" ? [outcome.signature] : [])),
    alarms: outcomes.flatMap(({ witness: { name }, outcome }) =>
      outcome.kind === "alarm" ? [{ witness: name, knownSize: outcome.knownSize, reason: outcome.reason }] : [],
    ),
    isWitnessed,
  };
}

/** A signed checkpoint before cosigning, and its log. */
export type Unwitnessed = {
  note: SignedNote;
  size: number;
  /** Consistency proof from an older size of the log to this one. */
  proofFrom: (older: number) => Promise<Uint8Array[]>;
};

export type WitnessOutcome =
  | { kind: "cosigned"; signature: NoteSignature; seconds: number }
  /** The witness saw another or a longer log: this one was rewritten or rolled back. */
  | { kind: "alarm"; knownSize: number; reason: string }
  /** No result; asked again with the next checkpoint. */
  | { kind: "missing"; reason: string; isSlow?: true };

/** Sends the body to the witness. @throws if it is down, slow, or answers more than a note may hold */
export type Send = (url: string, body: string) => Promise<WitnessReply>;

/** Time limit for all requests to one witness. */
const ANSWER_MS = 5_000;

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_NOTE_BYTES) throw new Error("its answer is longer than a note may be");
  }
  return text + decoder.decode();
}

/** Sends over HTTP, within 5 s for all requests to one witness; redirects are not followed. */
export function sender(timeoutMs = ANSWER_MS): Send {
  const signal = AbortSignal.timeout(timeoutMs);
  return async (url, body) => {
    const headers = { "Content-Type": "text/plain; charset=utf-8" };
    const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
    return { status: response.status, type: response.headers.get("content-type"), body: await readText(response) };
  };
}

const addressOf = (url: string): string => `${url.replace(/\/+$/, "")}/add-checkpoint`;

/**
 * Asks one witness, and again from the size that it names if it differs.
 * @param known size that it probably cosigned last; 0 if unknown
 * @returns never rejects: a witness that is down is `missing`
 */
export async function askWitness(
  witness: Witness & { url: string },
  { note, size, proofFrom }: Unwitnessed,
  { known, send = sender() }: { known: number; send?: Send },
): Promise<WitnessOutcome> {
  let older = Math.min(known, size);
  const ask = async (): Promise<ReplyMeaning> => {
    const body = requestBody(older, await proofFrom(older), note);
    return readReply(noteTools, await send(addressOf(witness.url), body), { note, witness });
  };
  try {
    let meaning = await ask();
    if (meaning.kind === "other size" && meaning.size <= size) {
      older = meaning.size;
      meaning = await ask();
    }
    if (meaning.kind === "cosigned") return meaning;
    // Witnesses of an older protocol edition answer this instead of 422 when roots of one size differ.
    if (meaning.kind === "contradicted" || (meaning.kind === "conflict" && older === size))
      return { kind: "alarm", knownSize: older, reason: meaning.reason };
    if (meaning.kind === "refused" || meaning.kind === "conflict") return { kind: "missing", reason: meaning.reason };
    if (meaning.size > size)
      return { kind: "alarm", knownSize: meaning.size, reason: `it has cosigned ${meaning.size} entries` };
    return { kind: "missing", reason: "it cosigned another size meanwhile" };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      return { kind: "missing", reason: "it did not answer in time", isSlow: true };
    return { kind: "missing", reason: messageOf(causeOf(error)) };
  }
}
