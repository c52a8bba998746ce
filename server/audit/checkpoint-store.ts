import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { appendFile, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { env } from "../env";
import { type Checkpoint, parseNote, signatureBy } from "./note";
import { signingKeys } from "./signing-key";

/** A checkpoint as it is kept and served: the note, and whether one of our keys signed it. */
export type StoredCheckpoint = Checkpoint & { note: string };

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

const toKeyObject = (publicKey: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });

const folder = (): string => join(env().TRAILMARK_DATA_DIR, "checkpoints");
const fileOf = (orgId: string): string => join(folder(), `${orgId}.ndjson`);

/** Appends to the file of the organization and waits for the disk: what was signed must not be forgotten. */
export async function keepCheckpoint(checkpoint: StoredCheckpoint): Promise<void> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
  const file = fileOf(checkpoint.orgId);
  await appendFile(file, `${JSON.stringify(checkpoint)}\n`, { mode: 0o600 });
  const handle = await open(file, "r");
  await handle.sync().finally(() => handle.close());
}

/** Checks the note's signature and contents against what stands beside it. */
function isGenuine(stored: StoredCheckpoint): boolean {
  const note = parseNote(stored.note);
  if (
    !note ||
    note.checkpoint.seq !== stored.seq ||
    note.checkpoint.checksum !== stored.checksum ||
    note.checkpoint.orgId !== stored.orgId
  )
    return false;
  return signingKeys().some((key) => {
    const signature = signatureBy(note, key);
    return signature !== null && verify(null, Buffer.from(note.text), toKeyObject(key.publicKey), signature);
  });
}

/**
 * The checkpoints of an organization kept on this machine, oldest first; lines that no key of ours signed are left out.
 * @param range only those from one sequence to another
 */
export async function readCheckpoints(
  orgId: string,
  range: { from?: number; to?: number } = {},
): Promise<StoredCheckpoint[]> {
  const file = fileOf(orgId);
  if (!existsSync(file)) return [];
  const kept: StoredCheckpoint[] = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!line) continue;
    let stored: StoredCheckpoint;
    try {
      stored = JSON.parse(line) as StoredCheckpoint;
    } catch {
      continue; // a line torn by a crash: its checkpoint is signed anew
    }
    if (stored.seq < (range.from ?? 0) || stored.seq > (range.to ?? Number.MAX_SAFE_INTEGER)) continue;
    if (isGenuine(stored)) kept.push(stored);
  }
  return kept;
}
