/**
 * Checkpoints as C2SP signed notes (c2sp.org/signed-note, c2sp.org/tlog-checkpoint): origin, size, base64 of the newest
 * checksum, when it was signed; a blank line; one signature line per key. Version 0.110.0 wrote them; they are read still.
 */

export type Checkpoint = { orgId: string; seq: number; checksum: string; signedAt: string };
type NoteSignature = { name: string; keyId: Uint8Array; signature: Uint8Array };
export type ParsedNote = { text: string; origin: string; checkpoint: Checkpoint; signatures: NoteSignature[] };

const DASH = "\u2014";
const KEY_ID_BYTES = 4;

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const bytesToHex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

/** A note taken apart, nothing checked; null when it is not one of Trailmark's. */
export function parseNote(note: string): ParsedNote | null {
  const split = note.indexOf("\n\n");
  if (split < 0) return null;
  const text = note.slice(0, split + 1);
  const [origin, size, root, signed] = text.split("\n");
  const orgId = /\/audit\/([0-9a-f-]{36})$/.exec(origin ?? "")?.[1];
  const signedAt = /^signed-at (.+)$/.exec(signed ?? "")?.[1];
  if (!origin || !orgId || !size || !/^\d{1,15}$/.test(size) || !root || !signedAt) return null;
  try {
    const signatures = note
      .slice(split + 2)
      .split("\n")
      .filter((line) => line.startsWith(`${DASH} `))
      .map((line) => {
        const [, name = "", blob = ""] = line.split(" ");
        const bytes = fromBase64(blob);
        return { name, keyId: bytes.slice(0, KEY_ID_BYTES), signature: bytes.slice(KEY_ID_BYTES) };
      });
    return {
      text,
      origin,
      signatures,
      checkpoint: { orgId, seq: Number(size), checksum: bytesToHex(fromBase64(root)), signedAt },
    };
  } catch {
    return null;
  }
}

/** The signature of a note by a given key, if there is one. */
export function signatureBy(note: ParsedNote, key: { name: string; keyId: Uint8Array }): Uint8Array | null {
  const id = bytesToHex(key.keyId);
  return note.signatures.find((s) => s.name === key.name && bytesToHex(s.keyId) === id)?.signature ?? null;
}
