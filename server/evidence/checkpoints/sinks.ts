import { createHmac, randomUUID } from "node:crypto";
import { env } from "@/server/ground/env";
import { log } from "@/server/ground/log";
import type { StoredNote } from "./stored-note";

const WEBHOOK_TIMEOUT_MS = 5_000;
const TYPES = { checkpoint: "audit.checkpoint", receipt: "audit.prune_receipt", restored: "audit.restored" } as const;

/** Standard Webhooks: id, timestamp and an HMAC over both and the body. */
async function postWebhook(stored: StoredNote): Promise<void> {
  const { CHECKPOINT_WEBHOOK_URL: url, CHECKPOINT_WEBHOOK_SECRET: secret } = env();
  if (!url) return;
  const id = `msg_${randomUUID()}`;
  const at = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ type: TYPES[stored.kind], timestamp: stored.signedAt, data: stored });
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

/** Sends a note that is kept already wherever else it goes: these may fail, the folder must not. Never rejects. */
export async function publishNote(stored: StoredNote): Promise<void> {
  log.info({ [stored.kind]: stored }, stored.kind === "checkpoint" ? "audit checkpoint" : "audit prune receipt");
  await postWebhook(stored).catch((error: unknown) =>
    log.warn({ err: error, orgId: stored.orgId }, `${stored.kind} webhook failed`),
  );
}
