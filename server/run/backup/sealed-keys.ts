import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import { z } from "zod";
import { BackupError } from "./archive";

/** A backup's creator knows the passphrase, so names are checked not to leave the data folder. */
const INSIDE = /^(?![/\\])(?!.*(^|[/\\])\.{1,2}([/\\]|$))[^\0]+$/s;

/** A secret file: its name in the data folder, its bytes in base64. */
export type KeyFile = z.output<typeof keyFiles>[number];
const keyFiles = z.array(z.object({ name: z.string().regex(INSIDE), content: z.string() }));

const MAGIC = Buffer.from("trailmark keys 1\n");
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** 64 MiB per guess. */
const SCRYPT = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
const MIN_PASSPHRASE = 12;

const keyOf = (passphrase: string, salt: Buffer): Buffer => scryptSync(passphrase.normalize("NFKC"), salt, 32, SCRYPT);

/** @throws BackupError for a passphrase that is too short */
export function sealKeys(files: readonly KeyFile[], passphrase: string): Buffer {
  if (passphrase.length < MIN_PASSPHRASE)
    throw new BackupError(`The passphrase of the keys must have at least ${MIN_PASSPHRASE} characters.`);
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv("aes-256-gcm", keyOf(passphrase, salt), nonce).setAAD(MAGIC);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(files)), cipher.final()]);
  return Buffer.concat([MAGIC, salt, nonce, cipher.getAuthTag(), sealed]);
}

/** @throws BackupError when the passphrase is wrong or the text is damaged */
export function openKeys(sealed: Buffer, passphrase: string): KeyFile[] {
  const from = MAGIC.length;
  const part = (at: number, length: number) => sealed.subarray(from + at, from + at + length);
  const [salt, nonce] = [part(0, SALT_BYTES), part(SALT_BYTES, NONCE_BYTES)];
  const tag = part(SALT_BYTES + NONCE_BYTES, TAG_BYTES);
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(passphrase, salt), nonce).setAAD(MAGIC).setAuthTag(tag);
    const text = Buffer.concat([
      decipher.update(sealed.subarray(from + SALT_BYTES + NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]);
    return keyFiles.parse(JSON.parse(text.toString("utf8")));
  } catch {
    throw new BackupError("The keys of this backup cannot be opened: the passphrase is wrong, or they are damaged.");
  }
}
