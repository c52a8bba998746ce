import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolder } from "@/db/embedded/create-folder";
import { messageOf } from "@/db/thrown";
import { env, unusableVariable } from "@/server/ground/env";

/** An Ed25519 key with its 32 public bytes. */
type SigningKey = { publicKey: Buffer; sign: (text: string) => Buffer };

const RAW_KEY_BYTES = 32;
const OTHERS_MAY_READ = 0o077;

function toSigningKey(pem: string): SigningKey {
  const secret: KeyObject = createPrivateKey(pem);
  if (secret.asymmetricKeyType !== "ed25519") throw new Error("The signing key must be an Ed25519 key (PKCS8 PEM).");
  const spki = createPublicKey(secret).export({ type: "spki", format: "der" });
  return {
    publicKey: spki.subarray(spki.length - RAW_KEY_BYTES),
    sign: (text) => sign(null, Buffer.from(text), secret),
  };
}

/** Private keys of a PEM file: the first is current, the others cosign during a rotation. */
function readKeys(file: string): SigningKey[] {
  const blocks = readFileSync(file, "utf8").match(/-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/g);
  if (!blocks) throw new Error("The signing key file holds no PKCS8 PEM private key.");
  return blocks.map(toSigningKey);
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
  return readKeys(file);
}

/** Keys from TRAILMARK_SIGNING_KEY_FILE or the data folder; null without either. @throws EnvError */
function readKept(): SigningKey[] | null {
  const { TRAILMARK_SIGNING_KEY_FILE: given } = env();
  const file = given ?? ownFile();
  if (!given && !existsSync(file)) return null;
  try {
    return readKeys(file);
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
