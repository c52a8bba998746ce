import { createHmac } from "node:crypto";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { dataStreams } from "@/db/schema";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { derivedKey } from "@/server/ground/derived-key";
import { AppError, invalidInput, notFound } from "@/server/ground/errors";
import { answerOf } from "@/server/ground/records";
import { inReach, ofOwner, ownPartner } from "@/server/ground/scope";
import { requireMatch, versionOf } from "@/server/ground/version";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { secretsOf } from "@/server/notify/secrets";
import { DESTINATIONS } from "./destinations";
import { type Stream, stream } from "./schema";
import type { StreamKind } from "./vocabulary";

export type StreamRow = typeof dataStreams.$inferSelect;

const DIGEST_CHARS = 8;

/** Parses a destination's settings. @throws AppError validation_failed that names the member below config */
export function readConfig(kind: StreamKind, config: unknown): Record<string, unknown> {
  const parsed = DESTINATIONS[kind].config.safeParse(config);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) issue.path.unshift("config");
  throw invalidInput(parsed.error);
}

/** Streams visible to a caller: those it administers, and its partner's own, which carry its entries too. */
export function visible({ scope }: Ctx): SQL | undefined {
  const partnerId = ownPartner(scope);
  const ofPartner = partnerId ? ofOwner(dataStreams, { orgId: null, partnerId }) : undefined;
  return or(inReach(dataStreams, scope), ofPartner);
}

/** @throws AppError not_found */
export async function findStream(tx: Tx, ctx: Ctx, id: string): Promise<StreamRow> {
  const [row] = await tx
    .select()
    .from(dataStreams)
    .where(and(visible(ctx), eq(dataStreams.id, id)));
  if (!row) throw notFound("stream");
  return row;
}

/**
 * A stream that the caller may change, locked for this transaction.
 * @throws AppError not_found, forbidden for a partner's or a locked one and a caller who reaches less
 */
export async function lockStream(tx: Tx, ctx: Ctx, id: string): Promise<StreamRow> {
  const where = and(visible(ctx), eq(dataStreams.id, id));
  const [row] = await tx.select().from(dataStreams).where(where).for("update");
  if (!row) throw notFound("stream");
  if (row.orgId === null || row.locked) await requireWholePartner(tx, ctx, "Your provider manages this stream.");
  requireMatch(ctx, versionOf(row));
  return row;
}

/** @throws AppError conflict for a stream in one of these states */
export function refuseWhile({ state }: StreamRow, states: readonly StreamRow["state"][], remedy: string): void {
  if (states.includes(state)) throw new AppError("conflict", `The stream is ${state}. ${remedy}`);
}

/** Distinguishes secrets in the log without revealing them. */
const fingerprint = (row: StreamRow): string | null => {
  const [secret] = secretsOf("streams", { ...row, formerUntil: null }, row.updatedAt);
  return secret === undefined
    ? null
    : createHmac("sha256", derivedKey("streams")).update(secret).digest("hex").slice(0, DIGEST_CHARS);
};

/** A stream for the audit log: only the host of its address, which may hold a token. */
export const auditable = (row: StreamRow) => ({
  name: row.name,
  kind: row.kind,
  target: DESTINATIONS[row.kind].describe(row.config),
  format: row.format,
  filter: row.filter,
  holdDays: row.holdDays,
  locked: row.locked,
  state: row.state,
  secret: fingerprint(row),
});

type Progress = {
  entries: number;
  seconds: number;
  acknowledgedAt: string | null;
  nextAttemptAt: string | null;
};
const NO_PROGRESS: Progress = { entries: 0, seconds: 0, acknowledgedAt: null, nextAttemptAt: null };

type Behind = { streamId: string; orgId: string; next: string; entries: number };

/** Lag of streams over the organizations in the transaction's reach. */
export async function readProgress(tx: Tx, streamIds: readonly string[]): Promise<Map<string, Progress>> {
  const live = sql`FROM stream_positions p WHERE p.stream_id = ANY (${uuids(streamIds)}) AND p.replay_id = ${ZERO_UUID}`;
  const [marks, behind] = await Promise.all([
    rowsOf<{ streamId: string; acknowledgedAt: Date | null; nextAttemptAt: Date | null }>(
      tx,
      sql`SELECT p.stream_id AS "streamId", max(p.acknowledged_at) AS "acknowledgedAt",
          min(p.next_attempt_at) FILTER (WHERE p.next_attempt_at > now()) AS "nextAttemptAt" ${live} GROUP BY 1`,
    ),
    rowsOf<Behind>(
      tx,
      sql`SELECT p.stream_id AS "streamId", p.org_id AS "orgId", (p.scanned_seq + 1)::text AS next,
          (h.seq - p.scanned_seq)::float8 AS entries
        FROM audit_chain_heads_of(ARRAY(SELECT p.org_id ${live})) h
        JOIN (SELECT * ${live}) p ON p.org_id = h.org_id AND p.scanned_seq < h.seq`,
    ),
  ]);
  const since = await sealedSince(tx, behind);
  const time = (at: Date | string | null) => (at === null ? null : new Date(at).toISOString());
  const found = new Map(
    marks.map(({ streamId, acknowledgedAt, nextAttemptAt }) => [
      streamId,
      { ...NO_PROGRESS, acknowledgedAt: time(acknowledgedAt), nextAttemptAt: time(nextAttemptAt) },
    ]),
  );
  for (const { streamId, orgId, next, entries } of behind) {
    const of = found.get(streamId) ?? NO_PROGRESS;
    const seconds = Math.max(of.seconds, since.get(`${orgId}/${next}`) ?? 0);
    found.set(streamId, { ...of, entries: of.entries + entries, seconds });
  }
  return found;
}

/** Seconds since some entries were sealed, by organization and sequence. */
async function sealedSince(tx: Tx, behind: readonly Behind[]): Promise<Map<string, number>> {
  if (behind.length === 0) return new Map();
  const keys = sql`SELECT k.org_id, k.chain_seq, NULL::timestamptz
    FROM unnest(${uuids(behind.map(({ orgId }) => orgId))}, ${sql.param(behind.map(({ next }) => next))}::bigint[])
      AS k(org_id, chain_seq)`;
  const rows = await rowsOf<{ orgId: string; seq: string; seconds: number }>(
    tx,
    sql`SELECT a.org_id AS "orgId", a.chain_seq::text AS seq,
        greatest(0, extract(epoch FROM now() - a.sealed_at))::float8 AS seconds FROM ${layout().rowsAt(keys)}`,
  );
  return new Map(rows.map(({ orgId, seq, seconds }) => [`${orgId}/${seq}`, seconds]));
}

type Shown = { row: StreamRow; progress: Progress | undefined; isWhole: boolean };

/** A stream as shown; without settings for a caller who reaches less than it covers. */
export function toStream({ row, progress = NO_PROGRESS, isWhole }: Shown): Stream {
  const { describe, acknowledges } = DESTINATIONS[row.kind];
  const { entries, seconds, ...times } = progress;
  return answerOf(stream, {
    ...row,
    ...times,
    target: describe(row.config),
    acknowledges,
    config: isWhole || row.orgId !== null ? row.config : null,
    lag: { entries, seconds: Math.round(seconds * 10) / 10 },
  });
}
