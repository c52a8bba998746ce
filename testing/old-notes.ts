import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { StoredCheckpoint } from "@/server/evidence/chain/checkpoint-store";
import { signerName, signingKeys } from "@/server/evidence/chain/signing-key";
import { env } from "@/server/ground/env";
import { headOf } from "./chain";

/** A checkpoint as a signed note of version 1, one signature per key. */
function signNote({ orgId, seq, checksum, signedAt }: Omit<StoredCheckpoint, "note">): string {
  const root = Buffer.from(checksum, "hex").toString("base64");
  const text = `${signerName()}/audit/${orgId}\n${seq}\n${root}\nsigned-at ${signedAt}\n`;
  const lines = signingKeys().map(
    ({ name, keyId, sign }) => `\u2014 ${name} ${Buffer.from([...keyId, ...sign(text)]).toString("base64")}\n`,
  );
  return `${text}\n${lines.join("")}`;
}

/** A signed head as version 0.110.0 kept it in the data folder: a note of version 1. */
export async function keepOldNote(orgId: string): Promise<StoredCheckpoint> {
  const head = await headOf(orgId);
  const checkpoint = {
    orgId,
    seq: Number(head?.seq),
    checksum: head?.checksum ?? "",
    signedAt: new Date().toISOString(),
  };
  const stored = { ...checkpoint, note: signNote(checkpoint) };
  const folder = join(env().TRAILMARK_DATA_DIR, "checkpoints");
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${orgId}.ndjson`), `${JSON.stringify(stored)}\n`);
  return stored;
}
