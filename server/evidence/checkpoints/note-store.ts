import { createHmac, randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { isFiledRightly, NOTE_COLUMNS, type NoteRow } from "@/server/evidence/chain/note-signature";
import { isSuperseded, type Restoration } from "@/server/evidence/tree/statement";
import { env } from "@/server/ground/env";
import { log } from "@/server/ground/log";
import { readOwnNote, readOwnRestored, type StoredNote } from "./stored-note";

export type { StoredNote };

const COLUMNS = sql.raw(NOTE_COLUMNS);
/** Page size: notes that are not ours, or misfiled, are skipped, however many were added. */
const ROWS_AT_ONCE = 20;

type Order = { kind: StoredNote["kind"]; covering?: number; before?: Date | undefined };
type Paging = Order & { pageRows: number };

/** Our note in a row, if of that kind and with columns that agree with its text. */
function readRow(orgId: string, kind: StoredNote["kind"], row: NoteRow): StoredNote | null {
  const stored = readOwnNote(orgId, row.note);
  return stored?.kind === kind && isFiledRightly(row, stored) ? stored : null;
}

/** Our restorations among notes, oldest first. */
function restorationsAmong(orgId: string, notes: readonly string[]): Restoration[] {
  const found = notes.map((note) => readOwnRestored(orgId, note)).filter((one) => one !== null);
  return found
    .map(({ origin: _, ...restoration }) => restoration)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/**
 * Our notes by size in pages, each checked as it is read; superseded checkpoints are skipped. Each row is read once,
 * and other requests run between pages.
 */
async function* pages(
  tx: Tx,
  orgId: string,
  { kind, covering, before, pageRows }: Paging,
): AsyncGenerator<StoredNote[]> {
  const first =
    covering === undefined
      ? sql`ORDER BY size DESC, signed_at DESC`
      : sql`AND size >= ${covering} ORDER BY size, signed_at`;
  const until = before ? sql`AND signed_at < ${before.toISOString()}::timestamptz` : sql``;
  for (let offset = 0; ; offset += pageRows) {
    const rows = await rowsOf<NoteRow & { restored: string[] | null }>(
      tx,
      sql`SELECT ${COLUMNS}, (
          SELECT array_agg(note) FROM audit_notes WHERE org_id = ${orgId} AND kind = 'restored') AS restored
        FROM audit_notes WHERE org_id = ${orgId} AND kind = ${kind} ${until}
        ${first} LIMIT ${pageRows} OFFSET ${offset}`,
    );
    const restored = restorationsAmong(orgId, rows[0]?.restored ?? []);
    yield rows
      .map((row) => readRow(orgId, kind, row))
      .filter((note) => note !== null)
      .filter((note) => kind !== "checkpoint" || !isSuperseded(note, restored));
    if (rows.length < pageRows) return;
  }
}

/** The first `limit` of our notes by size. */
async function select(tx: Tx, orgId: string, { limit, ...order }: Order & { limit: number }): Promise<StoredNote[]> {
  const found: StoredNote[] = [];
  for await (const page of pages(tx, orgId, { ...order, pageRows: Math.max(limit, ROWS_AT_ONCE) })) {
    found.push(...page);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Restorations of an organization's log, oldest first. */
export async function listRestorations(tx: Tx, orgId: string): Promise<Restoration[]> {
  const rows = await rowsOf<{ note: string }>(
    tx,
    sql`SELECT note FROM audit_notes WHERE org_id = ${orgId} AND kind = 'restored'`,
  );
  return restorationsAmong(
    orgId,
    rows.map(({ note }) => note),
  );
}

/** Newest checkpoints of an organization, newest first. */
export const listCheckpoints = (tx: Tx, orgId: string, limit: number): Promise<StoredNote[]> =>
  select(tx, orgId, { kind: "checkpoint", limit });

/** All checkpoints, newest first, read in pages on demand. */
export const checkpointPages = (tx: Tx, orgId: string, pageRows: number): AsyncGenerator<StoredNote[]> =>
  pages(tx, orgId, { kind: "checkpoint", pageRows });

/** Largest checkpoint, of all or of those signed before a time. */
export const newestCheckpoint = async (tx: Tx, orgId: string, before?: Date): Promise<StoredNote | null> =>
  (await select(tx, orgId, { kind: "checkpoint", limit: 1, before }))[0] ?? null;

/** Largest checkpoint of each organization; organizations for which we never signed one are omitted. */
export async function newestCheckpoints(tx: Tx, orgIds: readonly string[]): Promise<Map<string, StoredNote>> {
  const rows = await rowsOf<NoteRow & { orgId: string; wasRestored: boolean }>(
    tx,
    sql`SELECT o.id AS "orgId", n.*,
        EXISTS (SELECT FROM audit_notes r WHERE r.org_id = o.id AND r.kind = 'restored') AS "wasRestored"
      FROM ${layout().eachOf(orgIds)}, LATERAL (
        SELECT ${COLUMNS} FROM audit_notes WHERE org_id = o.id AND kind = 'checkpoint'
        ORDER BY size DESC, signed_at DESC LIMIT 1) n`,
  );
  const found = new Map<string, StoredNote>();
  for (const { orgId, wasRestored, ...row } of rows) {
    // The newest row may not be ours, or be superseded by a restoration; an older one may still count.
    const newest = wasRestored ? null : readRow(orgId, "checkpoint", row);
    const ours = newest ?? (await newestCheckpoint(tx, orgId));
    if (ours) found.set(orgId, ours);
  }
  return found;
}

/** First checkpoint that covers this many entries; null if there is none yet. */
export const firstCheckpointCovering = async (tx: Tx, orgId: string, size: number): Promise<StoredNote | null> =>
  (await select(tx, orgId, { kind: "checkpoint", limit: 1, covering: size }))[0] ?? null;

/** Most permissive receipt: the one with the largest `through`. */
export const newestReceipt = async (tx: Tx, orgId: string): Promise<StoredNote | null> =>
  (await select(tx, orgId, { kind: "receipt", limit: 1 }))[0] ?? null;

/**
 * Deletes checkpoints contained in later ones (audit_thin_notes): only the last of each hour, then of each day, stays.
 */
export const thinNotes = (tx: Tx, orgId: string): Promise<unknown> =>
  tx.execute(sql`SELECT audit_thin_notes(${orgId})`);

/**
 * Adds a note unless it exists.
 * @param token an authority's time-stamp over its text
 */
export async function insertNote(tx: Tx, stored: StoredNote, token: Buffer | null = null): Promise<void> {
  const { orgId, kind, size, signedAt, note } = stored;
  await tx.execute(
    sql`INSERT INTO audit_notes (org_id, kind, size, signed_at, note, timestamp_token)
      VALUES (${orgId}, ${kind}, ${size}, ${signedAt}::timestamptz, ${note}, ${token}) ON CONFLICT DO NOTHING`,
  );
}

const WEBHOOK_TIMEOUT_MS = 5_000;
const TYPES = { checkpoint: "audit.checkpoint", receipt: "audit.prune_receipt", restored: "audit.restored" } as const;

/** Posts a Standard Webhook: id, timestamp and an HMAC over both and the body. */
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

/** Publishes a stored note to its other destinations, which may fail, unlike the folder. Never rejects. */
export async function publishNote(stored: StoredNote): Promise<void> {
  // Checkpoints come every minute; receipts and restorations are rare.
  if (stored.kind === "checkpoint") log.debug({ checkpoint: stored }, "audit checkpoint");
  else log.info({ [stored.kind]: stored }, stored.kind === "receipt" ? "audit prune receipt" : "log restored");
  await postWebhook(stored).catch((error: unknown) =>
    log.warn({ err: error, orgId: stored.orgId }, `${stored.kind} webhook failed`),
  );
}
