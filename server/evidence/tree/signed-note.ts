import { equalBytes, type Sha256 } from "./tree";

/**
 * Y-coordinates of Ed25519's points of small order, little-endian, including encodings beyond the field's prime.
 * Signatures that nobody made verify under such a "key", and libraries differ in detecting it.
 */
const Y_OF_SMALL_ORDER = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** True if 32 bytes are a point of small order; the sign bit is ignored. */
function isSmallOrder(publicKey: Uint8Array): boolean {
  const y = Array.from(publicKey, (byte, i) => (i === 31 ? byte & 0x7f : byte));
  return Y_OF_SMALL_ORDER.has(y.map((byte) => byte.toString(16).padStart(2, "0")).join(""));
}

/**
 * C2SP signed notes (c2sp.org/signed-note) and their verifier keys. Pure: hashing and signature checks are passed in,
 * so that server, command line and browser read notes alike.
 */

export const ED25519 = 0x01;
/** Time-stamped signature of a witness (c2sp.org/tlog-cosignature). */
export const COSIGNATURE = 0x04;

export type NoteTools = {
  sha256: Sha256;
  verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
};

/** A published key; `id` is eight hexadecimal digits. */
export type VerifierKey = { name: string; id: string; type: number; publicKey: Uint8Array };

/** One signature line of a note; `bytes` follows the key's id. */
export type NoteSignature = { name: string; id: string; bytes: Uint8Array };
export type SignedNote = { text: string; signatures: NoteSignature[] };

export const MAX_NOTE_BYTES = 64 * 1024;
const MAX_SIGNATURES = 16;
const ID_BYTES = 4;
const KEY_BYTES = 32;
const ED25519_SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;
/** End of the year 9999: a cosignature with a later time is invalid. */
const MAX_SECONDS = 253_402_300_799;
const DASH = "\u2014";

const utf8 = new TextEncoder();

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
export const toBase64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));

/** Decodes canonical base64; null for any other text, even if decodable. */
export function fromBase64(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return toBase64(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Key id: first four bytes of SHA-256 over name, newline, type and key, in hexadecimal. */
export function keyIdOf(sha256: Sha256, { name, type, publicKey }: Omit<VerifierKey, "id">): string {
  const bytes = concatBytes(utf8.encode(`${name}\n`), Uint8Array.of(type), publicKey);
  return toHex(sha256(bytes).subarray(0, ID_BYTES));
}

/** A verifier key as text: NAME+ID+BASE64(type and key). */
export const formatVerifierKey = ({ name, id, type, publicKey }: VerifierKey): string =>
  `${name}+${id}+${toBase64(concatBytes(Uint8Array.of(type), publicKey))}`;

/** A key's name has no plus sign, control character or Unicode white space (\s differs). */
const NAME = String.raw`([^\p{White_Space}\p{Cc}+]+)`;
const VERIFIER_KEY = new RegExp(String.raw`^${NAME}\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$`, "u");
const SIGNATURE_LINE = new RegExp(`^${DASH} ${NAME} ([A-Za-z0-9+/]+=*)$`, "u");

/**
 * Parses a verifier key; null if malformed. An id that is not the key's hash is malformed, because a forged key would
 * show the name and id of a genuine one; so is a point of small order.
 */
export function parseVerifierKey(sha256: Sha256, text: string): VerifierKey | null {
  const [, name, id, blob] = VERIFIER_KEY.exec(text) ?? [];
  const bytes = blob === undefined ? null : fromBase64(blob);
  if (!name || !id || !bytes || bytes.length !== 1 + KEY_BYTES) return null;
  const key = { name, type: bytes[0] ?? 0, publicKey: bytes.slice(1) };
  if ((key.type !== ED25519 && key.type !== COSIGNATURE) || isSmallOrder(key.publicKey)) return null;
  return keyIdOf(sha256, key) === id ? { ...key, id } : null;
}

/** A note as text: the signed text, an empty line, and a line per signature. */
export function formatNote(text: string, signatures: readonly NoteSignature[]): string {
  const lines = signatures.map(
    ({ name, id, bytes }) => `${DASH} ${name} ${toBase64(concatBytes(fromHex(id), bytes))}\n`,
  );
  return `${text}\n${lines.join("")}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a note must not hold
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]|[\ud800-\udfff]/u;

function parseSignature(line: string): NoteSignature | null {
  const [, name, blob] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = blob === undefined ? null : fromBase64(blob);
  if (!name || !bytes || bytes.length <= ID_BYTES) return null;
  return { name, id: toHex(bytes.subarray(0, ID_BYTES)), bytes: bytes.slice(ID_BYTES) };
}

const isTooLong = (note: string): boolean => note.length > MAX_NOTE_BYTES || utf8.encode(note).length > MAX_NOTE_BYTES;

/** Parses a note without checking it; null if malformed. The last empty line separates text and signatures. */
export function parseNote(note: string): SignedNote | null {
  if (isTooLong(note) || CONTROL.test(note) || !note.endsWith("\n")) return null;
  const split = note.lastIndexOf("\n\n");
  if (split < 0) return null;
  const lines = note.slice(split + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return null;
  const signatures = lines.map(parseSignature);
  if (!signatures.every((signature) => signature !== null)) return null;
  return { text: note.slice(0, split + 1), signatures };
}

const NO_SIGNER = `${DASH} nobody AAAAAAA=\n`;

/** Parses a note, even with its signatures removed: such a note proves and contradicts nothing. */
export function noteOf(text: string): SignedNote | null {
  const unsigned = text.endsWith("\n\n") ? parseNote(text + NO_SIGNER) : null;
  return unsigned ? { text: unsigned.text, signatures: [] } : parseNote(text);
}

/** Text signed by a witness: the note's text and its time, in seconds since 1970 UTC. */
export const cosignedMessage = (text: string, seconds: number): Uint8Array =>
  utf8.encode(`cosignature/v1\ntime ${seconds}\n${text}`);

/** Seconds in a cosignature: eight bytes, big-endian. */
export function secondsToBytes(seconds: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seconds));
  return bytes;
}

function bytesToSeconds(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, TIME_BYTES).getBigUint64(0));
}

/** True if a key is valid for an origin: its own, or one below. */
const coversOrigin = (name: string, origin: string): boolean => origin === name || origin.startsWith(`${name}/`);

/**
 * A pinned key as the signer for an origin. The signature's name is the origin, so the id differs by organization while
 * the key does not. Null if the key is not valid for that origin.
 */
export function keyForOrigin(sha256: Sha256, key: VerifierKey, origin: string): VerifierKey | null {
  if (key.type !== ED25519 || !coversOrigin(key.name, origin)) return null;
  const named = { ...key, name: origin };
  return { ...named, id: keyIdOf(sha256, named) };
}

export type SignatureCheck = "good" | "bad" | "absent";

/** Result of a key's signature on a note; "bad" if a line with its name and id fails. */
export function checkSignature(tools: NoteTools, note: SignedNote, key: VerifierKey): SignatureCheck {
  const lines = note.signatures.filter(({ name, id }) => name === key.name && id === key.id);
  if (lines.length === 0) return "absent";
  const message = utf8.encode(note.text);
  const isGood = ({ bytes }: NoteSignature) =>
    bytes.length === ED25519_SIGNATURE_BYTES && tools.verify(key.publicKey, message, bytes);
  return lines.every(isGood) ? "good" : "bad";
}

/** A witness's cosignature of a note and its time in seconds since 1970 UTC; the earliest of several. */
export function checkCosignature(
  tools: NoteTools,
  note: SignedNote,
  witness: VerifierKey,
): { check: SignatureCheck; seconds: number | null } {
  const lines = note.signatures.filter(({ name, id }) => name === witness.name && id === witness.id);
  if (lines.length === 0) return { check: "absent", seconds: null };
  const isGood = ({ bytes }: NoteSignature) =>
    bytes.length === TIME_BYTES + ED25519_SIGNATURE_BYTES &&
    bytesToSeconds(bytes) <= MAX_SECONDS &&
    tools.verify(witness.publicKey, cosignedMessage(note.text, bytesToSeconds(bytes)), bytes.subarray(TIME_BYTES));
  if (!lines.every(isGood)) return { check: "bad", seconds: null };
  return { check: "good", seconds: Math.min(...lines.map(({ bytes }) => bytesToSeconds(bytes))) };
}

/** True if two keys are equal, regardless of their names. */
export const isSameKey = (a: VerifierKey, b: VerifierKey): boolean => equalBytes(a.publicKey, b.publicKey);
