import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { formatNote, keyIdOf, type VerifierKey } from "@/server/evidence/tree/signed-note";

export { noteTools };

/** Keys with known seeds, and notes signed by them. */

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

export type TestKey = { key: VerifierKey; sign: (message: Uint8Array | string) => Uint8Array };

/** An Ed25519 key under its signer name. */
export function namedKey(secret: KeyObject, name: string, type: number): TestKey {
  const publicKey = createPublicKey(secret).export({ type: "spki", format: "der" }).subarray(-32);
  const key = { name, type, publicKey, id: keyIdOf(noteTools.sha256, { name, type, publicKey }) };
  return { key, sign: (message) => sign(null, Buffer.from(message as string), secret) };
}

/** The Ed25519 key whose seed is 32 times one byte. */
export const testKey = (seed: number, name: string, type: number): TestKey =>
  namedKey(
    createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.alloc(32, seed)]), format: "der", type: "pkcs8" }),
    name,
    type,
  );

/** A text signed by the given keys. */
export const signText = (text: string, ...signers: readonly TestKey[]): string =>
  formatNote(
    text,
    signers.map(({ key, sign }) => ({ name: key.name, id: key.id, bytes: sign(text) })),
  );
