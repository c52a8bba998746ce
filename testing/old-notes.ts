import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { StoredCheckpoint } from "@/server/audit/chain/checkpoint-store";
import { signNote } from "@/server/audit/chain/note";
import { signerName, signingKeys } from "@/server/audit/chain/signing-key";
import { env } from "@/server/env";
import { headOf } from "./chain";

/** A signed head as version 0.110.0 kept it in the data folder: a note of version 1. */
export async function keepOldNote(orgId: string): Promise<StoredCheckpoint> {
  const head = await headOf(orgId);
  const checkpoint = {
    orgId,
    seq: Number(head?.seq),
    checksum: head?.checksum ?? "",
    signedAt: new Date().toISOString(),
  };
  const stored = { ...checkpoint, note: signNote(signerName(), checkpoint, signingKeys()) };
  const folder = join(env().TRAILMARK_DATA_DIR, "checkpoints");
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${orgId}.ndjson`), `${JSON.stringify(stored)}\n`);
  return stored;
}
