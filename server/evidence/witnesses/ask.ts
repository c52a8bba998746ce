import { causeOf, messageOf } from "@/db/thrown";
import { noteTools } from "@/server/evidence/tree/note-tools";
import type { Witness } from "@/server/evidence/tree/policy";
import { MAX_NOTE_BYTES, type NoteSignature, type SignedNote } from "@/server/evidence/tree/signed-note";
import { type ReplyMeaning, readReply, requestBody, type WitnessReply } from "./add-checkpoint";

/** A signed checkpoint, not yet cosigned, and the log behind it. */
export type Unwitnessed = {
  note: SignedNote;
  size: number;
  /** The consistency proof from an older size of the log to this one. */
  proofFrom: (older: number) => Promise<Uint8Array[]>;
};

export type WitnessOutcome =
  | { kind: "cosigned"; signature: NoteSignature; seconds: number }
  /** The witness saw another log, or a longer one: this one was rewritten or rolled back. */
  | { kind: "alarm"; knownSize: number; reason: string }
  /** Nothing was learnt; it is asked again with the next checkpoint. */
  | { kind: "missing"; reason: string; isSlow?: true };

/** Sends the body to the witness. @throws when it is away, slow, or sends more than a note may hold */
export type Send = (url: string, body: string) => Promise<WitnessReply>;

/** How long all that is asked of one witness may take, in ms. Tests of what it answers raise it: it is in their process. */
export const askTime = { answer: 5_000 };

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_NOTE_BYTES) throw new Error("its answer is longer than a note may be");
  }
  return text + decoder.decode();
}

/** Over HTTP, within 5 s for all that is asked of one witness; an address that redirects is not followed. */
export function sender(timeoutMs = askTime.answer): Send {
  const signal = AbortSignal.timeout(timeoutMs);
  return async (url, body) => {
    const headers = { "Content-Type": "text/plain; charset=utf-8" };
    const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
    return { status: response.status, type: response.headers.get("content-type"), body: await readText(response) };
  };
}

const addressOf = (url: string): string => `${url.replace(/\/+$/, "")}/add-checkpoint`;

/**
 * Asks one witness, and once more from the size that it names when it cosigned another one than expected.
 * @param known the size that it is thought to have cosigned last; 0 when nothing is known
 * @returns never rejects: a witness that is away is `missing`
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
    // Witnesses of an older edition of the protocol answer so, not 422, when the roots of one size differ.
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
