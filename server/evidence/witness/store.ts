import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { syncFolder } from "@/db/embedded/sync-folder";
import { ExpectedError } from "@/db/thrown";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { COSIGNATURE, formatVerifierKey, keyIdOf, parseNote, toHex } from "@/server/evidence/tree/signed-note";
import { parseCheckpoint } from "@/server/evidence/tree/statement";
import type { Cosigner, Seen } from "./add-checkpoint";

/** Files of a witness: its key, and the newest cosigned note of each log. Written before answering. */

/** File name and address of a log: the hash of its origin. */
export const nameOf = (origin: string): string => toHex(sha256(Buffer.from(origin)));

/** Replaces a file atomically: after a crash either the old or the new text is there. */
function replaceFile(folder: string, name: string, text: string): void {
  const temporary = join(folder, `${name}.tmp`);
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, join(folder, name));
  syncFolder(folder);
}

/** A key file without a witness key; a new key would be another witness. */
export class DamagedKey extends ExpectedError {}

/** @throws DamagedKey */
function readKey(file: string): KeyObject {
  const text = readFileSync(file, "utf8");
  const damaged = new DamagedKey(`${file} holds no Ed25519 private key. Put back the file that this witness made.`);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    throw damaged;
  }
  throw damaged;
}

/**
 * Witness key of this folder, created if missing. The name appears in its signatures.
 * @throws DamagedKey, and Node's file errors
 */
export function loadCosigner(folder: string, name: string): Cosigner & { vkey: string } {
  createFolder(folder, 0o700);
  const file = join(folder, "witness-ed25519.pem");
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx", flush: true });
    syncFolder(folder);
  }
  const secret = readKey(file);
  const publicKey = createPublicKey(secret).export({ type: "spki", format: "der" }).subarray(-32);
  const key = { name, type: COSIGNATURE, publicKey, id: keyIdOf(sha256, { name, type: COSIGNATURE, publicKey }) };
  return { key, vkey: formatVerifierKey(key), sign: (message) => sign(null, message, secret) };
}

/** Newest cosigned note of a log, as text. */
export function readNote(folder: string, name: string): string | null {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/**
 * Parses the newest stored note of an origin.
 * @throws Error when the file exists but is unreadable: a witness must not forget and start over.
 */
export function readSeen(folder: string, origin: string): Seen | null {
  const text = readNote(folder, nameOf(origin));
  if (text === null) return null;
  const note = parseNote(text);
  const checkpoint = note && parseCheckpoint(note.text);
  if (!checkpoint || checkpoint.origin !== origin) throw new Error(`The kept checkpoint of ${origin} is damaged.`);
  return { size: checkpoint.size, root: checkpoint.root };
}

/** Stores a cosigned note; on disk when this returns. */
export function keepNote(folder: string, origin: string, note: string): void {
  replaceFile(folder, nameOf(origin), note);
}
