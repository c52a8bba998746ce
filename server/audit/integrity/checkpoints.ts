import { createHmac, randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { keepCheckpoint, readNewestCheckpoint, type StoredCheckpoint } from "@/server/audit/chain/checkpoint-store";
import { type Checkpoint, signNote } from "@/server/audit/chain/note";
import { signerName, signingKeys } from "@/server/audit/chain/signing-key";
import { verifyChain } from "@/server/audit/chain/verify";
import { systemCtx } from "@/server/context";
import { env } from "@/server/env";
import { log } from "@/server/log";
import { raiseAlarm } from "./alarm";

const WEBHOOK_TIMEOUT_MS = 5_000;

export type Head = { orgId: string; seq: number; checksum: string };

/** The newest sealed row of every organization that has one. */
export function listHeads(): Promise<Head[]> {
  return asSystem((tx) =>
    rowsOf<Head>(
      tx,
      sql`SELECT h.org_id AS "orgId", h.seq::float8 AS seq, h.checksum
        FROM audit_chain_heads_of(ARRAY(SELECT id FROM organizations)) h WHERE h.seq > 0`,
    ),
  );
}

/** Standard Webhooks: id, timestamp and an HMAC over both and the body. */
async function postWebhook(checkpoint: StoredCheckpoint): Promise<void> {
  const { CHECKPOINT_WEBHOOK_URL: url, CHECKPOINT_WEBHOOK_SECRET: secret } = env();
  if (!url) return;
  const id = `msg_${randomUUID()}`;
  const at = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ type: "audit.checkpoint", timestamp: checkpoint.signedAt, data: checkpoint });
  const key = secret?.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret ?? "");
  const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(at),
    ...(secret ? { "webhook-signature": `v1,${signature}` } : {}),
  };
  const response = await fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

/** The kept file first: the others may fail, it must not. */
async function publish(checkpoint: StoredCheckpoint): Promise<void> {
  await keepCheckpoint(checkpoint);
  log.info(
    {
      checkpoint: {
        orgId: checkpoint.orgId,
        seq: checkpoint.seq,
        checksum: checkpoint.checksum,
        note: checkpoint.note,
      },
    },
    "audit checkpoint",
  );
  await postWebhook(checkpoint).catch((error: unknown) =>
    log.warn({ err: error, orgId: checkpoint.orgId }, "checkpoint webhook failed"),
  );
}

/**
 * Signs the head of a chain, after checking that it extends the last checkpoint kept outside the database; one that
 * does not is not signed but raises the alarm.
 * @returns the new checkpoint, the last one when the head has not moved, or null when it was refused or there is no row
 */
export async function signCheckpoint(orgId: string, now: Date = new Date()): Promise<StoredCheckpoint | null> {
  const last = await readNewestCheckpoint(orgId);
  const found = await verifyChain(systemCtx(), {
    orgId,
    fromSeq: Math.max(1, last?.seq ?? 1),
    toSeq: Number.MAX_SAFE_INTEGER,
  });
  if (found.status === "broken") {
    await raiseAlarm({ orgId, at: now.toISOString(), source: "checkpoint", breaks: found.breaks });
    return null;
  }
  if (!found.head) return null;
  if (last && last.seq === found.head.seq) return last;
  const checkpoint: Checkpoint = { orgId, ...found.head, signedAt: now.toISOString() };
  const stored = { ...checkpoint, note: signNote(signerName(), checkpoint, signingKeys()) };
  await publish(stored);
  return stored;
}
