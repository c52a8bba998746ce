/**
 * Checkpoints as C2SP signed notes (c2sp.org/signed-note, c2sp.org/tlog-checkpoint): origin, size, base64 of the newest
 * checksum, when it was signed; a blank line; one signature line per key. Pure: signing and checking are handed in.
 */

export type Checkpoint = { orgId: string; seq: number; checksum: string; signedAt: string };
export type NoteSigner = { name: string; keyId: Uint8Array; sign: (text: string) => Uint8Array };
type NoteSignature = { name: string; keyId: Uint8Array; signature: Uint8Array };
export type ParsedNote = { text: string; origin: string; checkpoint: Checkpoint; signatures: NoteSignature[] };

const DASH = "\u2014";
const KEY_ID_BYTES = 4;

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const hexToBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const bytesToHex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

/** The signed part of a note. `host` is the public host of the installation. */
function noteText(host: string, { orgId, seq, checksum, signedAt }: Checkpoint): string {
  return `${host}/audit/${orgId}\n${seq}\n${toBase64(hexToBytes(checksum))}\nsigned-at ${signedAt}\n`;
}

/** A checkpoint as a signed note, one signature per key. */
export function signNote(host: string, checkpoint: Checkpoint, signers: readonly NoteSigner[]): string {
  const text = noteText(host, checkpoint);
  const lines = signers.map(
    ({ name, keyId, sign }) => `${DASH} ${name} ${toBase64(Uint8Array.from([...keyId, ...sign(text)]))}\n`,
  );
  return `${text}\n${lines.join("")}`;
}

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

/** A verifier key taken apart: its name, id and 32 public bytes; null when it is none. */
export function parseVkey(vkey: string): { name: string; keyId: Uint8Array; publicKey: Uint8Array } | null {
  const found = /^(\S+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey);
  if (!found) return null;
  const [, name = "", keyId = "", key = ""] = found;
  const bytes = fromBase64(key);
  if (bytes[0] !== 1 || bytes.length !== 33) return null;
  return { name, keyId: hexToBytes(keyId), publicKey: bytes.slice(1) };
}

/** The signature of a note by a given key, if there is one. */
export function signatureBy(note: ParsedNote, key: { name: string; keyId: Uint8Array }): Uint8Array | null {
  const id = bytesToHex(key.keyId);
  return note.signatures.find((s) => s.name === key.name && bytesToHex(s.keyId) === id)?.signature ?? null;
}
