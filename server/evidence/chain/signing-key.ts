import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { messageOf } from "@/db/thrown";
import { env, unusableVariable } from "@/server/ground/env";

/** An Ed25519 key as named in C2SP signed notes: name, key id, 32 public bytes. */
export type SigningKey = { name: string; keyId: Buffer; publicKey: Buffer; sign: (text: string) => Buffer };

/** Ed25519 in the registry of signature types (C2SP signed-note). */
const ED25519_TYPE = 0x01;
const RAW_KEY_BYTES = 32;
const OTHERS_MAY_READ = 0o077;

/** Key id (C2SP signed-note): first four bytes of SHA-256 over name, newline, type and key. */
function keyIdOf(name: string, publicKey: Buffer): Buffer {
  return createHash("sha256")
    .update(`${name}\n`)
    .update(Buffer.from([ED25519_TYPE]))
    .update(publicKey)
    .digest()
    .subarray(0, 4);
}

/** Verifier key (C2SP signed-note): NAME+HEXID+BASE64(type and key). */
export function vkeyOf({ name, keyId, publicKey }: Pick<SigningKey, "name" | "keyId" | "publicKey">): string {
  return `${name}+${keyId.toString("hex")}+${Buffer.concat([Buffer.from([ED25519_TYPE]), publicKey]).toString("base64")}`;
}

function toSigningKey(name: string, pem: string): SigningKey {
  const secret: KeyObject = createPrivateKey(pem);
  if (secret.asymmetricKeyType !== "ed25519") throw new Error("The signing key must be an Ed25519 key (PKCS8 PEM).");
  const spki = createPublicKey(secret).export({ type: "spki", format: "der" });
  const publicKey = spki.subarray(spki.length - RAW_KEY_BYTES);
  return { name, publicKey, keyId: keyIdOf(name, publicKey), sign: (text) => sign(null, Buffer.from(text), secret) };
}

/** Private keys of a PEM file: the first is current, the others cosign during a rotation. */
function readKeys(file: string, name: string): SigningKey[] {
  const blocks = readFileSync(file, "utf8").match(/-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/g);
  if (!blocks) throw new Error("The signing key file holds no PKCS8 PEM private key.");
  return blocks.map((pem) => toSigningKey(name, pem));
}

/** Signer name: the public host of this installation. */
export const signerName = (): string => new URL(env().NEXTAUTH_URL).host;

/**
 * Keys that sign checkpoints, newest first; created in the data folder if no file is given. Never in the database,
 * whose owner must not be able to sign changes.
 */
export function signingKeys(): SigningKey[] {
  loaded ??= readKept() ?? createOwnKey();
  return loaded;
}
let loaded: SigningKey[] | undefined;

const ownFile = (): string => join(env().TRAILMARK_DATA_DIR, "keys", "checkpoint-ed25519.pem");

function createOwnKey(): SigningKey[] {
  const file = ownFile();
  createFolder(dirname(file), 0o700);
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx", flush: true });
  return readKeys(file, signerName());
}

/** Keys from TRAILMARK_SIGNING_KEY_FILE or the data folder; null without either. @throws EnvError */
function readKept(): SigningKey[] | null {
  const { TRAILMARK_SIGNING_KEY_FILE: given } = env();
  const file = given ?? ownFile();
  if (!given && !existsSync(file)) return null;
  try {
    return readKeys(file, signerName());
  } catch (error) {
    const variable = given ? "TRAILMARK_SIGNING_KEY_FILE" : "TRAILMARK_DATA_DIR";
    throw unusableVariable(variable, `${file} holds no readable Ed25519 key (PKCS8 PEM): ${messageOf(error)}`);
  }
}

/**
 * Checks the key at startup, before the first checkpoint.
 * @returns a warning for the operator; "" if all is well
 * @throws EnvError when the key file cannot be used
 */
export function checkSigningKey(): string {
  const existed = readKept() !== null;
  // A file named by the operator may be shared with a group on purpose; the one in the data folder belongs to its owner
  // only.
  if (!existed || env().TRAILMARK_SIGNING_KEY_FILE || (statSync(ownFile()).mode & OTHERS_MAY_READ) === 0) return "";
  return `${ownFile()} can be read by others: anyone who has it can sign a rewritten history. chmod 600 it.`;
}
