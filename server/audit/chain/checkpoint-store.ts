import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { appendFile, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { env } from "@/server/env";
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

/** The genuine checkpoints of a file in a span, oldest first; lines that no key of ours signed are left out. */
async function* checkpointsIn(orgId: string, from: number, to: number): AsyncGenerator<StoredCheckpoint> {
  const file = fileOf(orgId);
  if (!existsSync(file)) return;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!line) continue;
    let stored: StoredCheckpoint;
    try {
      stored = JSON.parse(line);
    } catch {
      continue; // a line torn by a crash: its checkpoint is signed again
    }
    if (stored.seq >= from && stored.seq <= to && isGenuine(stored)) yield stored;
  }
}

/**
 * The checkpoints of an organization kept on this machine, oldest first.
 * @param range only those from one sequence to another
 */
export async function readCheckpoints(
  orgId: string,
  { from = 0, to = Number.MAX_SAFE_INTEGER }: { from?: number; to?: number } = {},
): Promise<StoredCheckpoint[]> {
  const kept: StoredCheckpoint[] = [];
  for await (const checkpoint of checkpointsIn(orgId, from, to)) kept.push(checkpoint);
  return kept;
}

/** A line of the file is about 600 bytes; a longer tail is read only when none in this one is genuine. */
const TAIL_BYTES = 16 * 1024;

/** The newest genuine checkpoint of an organization, from the end of its file: cost does not grow with the file. */
export async function readNewestCheckpoint(orgId: string): Promise<StoredCheckpoint | null> {
  const file = fileOf(orgId);
  if (!existsSync(file)) return null;
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.toString("utf8").split("\n");
    for (const line of lines.slice(start > 0 ? 1 : 0).reverse()) {
      if (!line) continue;
      try {
        const stored: StoredCheckpoint = JSON.parse(line);
        if (isGenuine(stored)) return stored;
      } catch {} // a line torn by a crash
    }
    return start > 0 ? ((await readCheckpoints(orgId)).at(-1) ?? null) : null;
  } finally {
    await handle.close();
  }
}
