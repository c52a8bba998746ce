import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { env } from "@/server/ground/env";
import { type Checkpoint, parseNote, signatureBy } from "./note";
import { signingKeys } from "./signing-key";

/** A checkpoint as it is kept and served: the note, and whether one of our keys signed it. */
export type StoredCheckpoint = Checkpoint & { note: string };

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

const toKeyObject = (publicKey: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });

const folder = (): string => join(env().TRAILMARK_DATA_DIR, "checkpoints");
const fileOf = (orgId: string): string => join(folder(), `${orgId}.ndjson`);

/** Checks the note's signature and contents against what is beside it. */
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
 * The checkpoints of an organization kept on this machine from one sequence to another, oldest first; lines that none of
 * our keys signed are left out.
 */
export async function readCheckpoints(
  orgId: string,
  { from, to }: { from: number; to: number },
): Promise<StoredCheckpoint[]> {
  const file = fileOf(orgId);
  const kept: StoredCheckpoint[] = [];
  if (!existsSync(file)) return kept;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!line) continue;
    let stored: StoredCheckpoint;
    try {
      stored = JSON.parse(line);
    } catch {
      continue; // a line torn by a crash: its checkpoint is signed again
    }
    if (stored.seq >= from && stored.seq <= to && isGenuine(stored)) kept.push(stored);
  }
  return kept;
}
