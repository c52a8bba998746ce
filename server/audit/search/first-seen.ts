import { type SQL, sql } from "drizzle-orm";
import type postgres from "postgres";
import { bigints, textArray, uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { FIRST_SEEN, type FirstSeen } from "@/server/audit/vocabulary";
import { groupBy } from "@/server/ground/records";

/** Actor of a row `l`, as text if the id is not a UUID; NULL if unknown. */
const ACTOR = `CASE WHEN l.actor_id = '00000000-0000-0000-0000-000000000000' THEN l.details ->> 'rawActorId'
  ELSE l.actor_id::text END`;

/**
 * Values in rows `l` by actor: HEAD, tables and condition, TAIL. Equal origins are folded before addresses are read, as
 * an actor has few. An IPv6 network is a provider's allocation to a site.
 */
const HEAD = `SELECT r.org_id, k.kind, r.actor_type, r.actor, md5(k.value)::uuid AS digest, min(k.value) AS value,
    min(r.first_seq) AS first_seq, max(r.last_seq) AS last_seq, min(r.first_at) AS first_at, max(r.last_at) AS last_at
  FROM (
    SELECT l.org_id, l.actor_type, ${ACTOR} AS actor, l.ip_address, l.user_agent,
      min(l.chain_seq) AS first_seq, max(l.chain_seq) AS last_seq,
      min(l."timestamp") AS first_at, max(l."timestamp") AS last_at
    FROM`;
const TAIL = `AND l.actor_type <> 'system' GROUP BY 1, 2, 3, 4, 5) r,
  LATERAL (SELECT audit_address(r.ip_address) AS ip OFFSET 0) w, LATERAL (VALUES
    ('address', coalesce(host(w.ip), nullif(r.ip_address, ''))),
    ('network', network(set_masklen(w.ip, CASE family(w.ip) WHEN 4 THEN 24 ELSE 48 END))::text),
    ('userAgent', nullif(r.user_agent, ''))) k(kind, value)
  WHERE r.actor IS NOT NULL AND k.value IS NOT NULL
  GROUP BY r.org_id, k.kind, r.actor_type, r.actor, md5(k.value)`;
const SEEN_BETWEEN = `${HEAD} audit_logs l WHERE l.org_id = $1 AND l.chain_seq BETWEEN $2 AND $3 ${TAIL}`;

/** Smallest step: lists read the rows beyond it themselves, so it is far below that of a segment. */
const MIN_ROWS = 16;

type Chain = { orgId: string; seq: number; pruned: number };

/** Removes pruned rows: a value first seen in one moves to the oldest kept row with it. */
async function followPruning(tx: postgres.TransactionSql, { orgId, pruned }: Chain, through: number): Promise<void> {
  await tx`DELETE FROM audit_first_seen WHERE org_id = ${orgId} AND last_seq <= ${pruned}`;
  await tx.unsafe(
    `UPDATE audit_first_seen f SET first_seq = s.first_seq, first_at = s.first_at
     FROM (${SEEN_BETWEEN}) s
     WHERE f.org_id = $1 AND f.first_seq < $2 AND f.kind = s.kind AND f.actor_type = s.actor_type
       AND f.actor = s.actor AND f.digest = s.digest`,
    [orgId, pruned + 1, through],
  );
}

/**
 * Follows retention and stores what is new about the actors of the next rows of a chain. The caller holds the indexer's
 * lock.
 * @returns number of rows advanced
 */
export async function advanceFirstSeen(tx: postgres.TransactionSql, chain: Chain, most: number): Promise<number> {
  const { orgId, seq, pruned } = chain;
  await tx`INSERT INTO audit_first_seen_state (org_id) VALUES (${orgId}) ON CONFLICT DO NOTHING`;
  const [state] = await tx<{ through: number; pruned: number }[]>`
    SELECT through_seq::float8 AS through, pruned_through_seq::float8 AS pruned
    FROM audit_first_seen_state WHERE org_id = ${orgId}`;
  const through = Math.max(state?.through ?? 0, pruned);
  if (pruned > (state?.pruned ?? 0)) await followPruning(tx, chain, through);
  const last = seq - through < MIN_ROWS ? through : Math.min(seq, through + most);
  if (last > through)
    await tx.unsafe(
      `INSERT INTO audit_first_seen AS f
         (org_id, kind, actor_type, actor, digest, value, first_seq, last_seq, first_at, last_at)
       ${SEEN_BETWEEN}
       ON CONFLICT ON CONSTRAINT audit_first_seen_pkey DO UPDATE SET last_seq = excluded.last_seq,
         first_at = least(f.first_at, excluded.first_at), last_at = greatest(f.last_at, excluded.last_at)`,
      [orgId, through + 1, last],
    );
  await tx`UPDATE audit_first_seen_state SET through_seq = ${last}, pruned_through_seq = ${pruned}
    WHERE org_id = ${orgId} AND (through_seq, pruned_through_seq) IS DISTINCT FROM (${last}::bigint, ${pruned}::bigint)`;
  return last - through;
}

/** First of some consecutive rows whose stored first sightings differ from a recount. */
export async function findOtherFirstSeen(
  tx: postgres.TransactionSql,
  orgId: string,
  { first, last }: { first: number; last: number },
): Promise<number[]> {
  const [state] = await tx<{ through: number; pruned: number }[]>`
    SELECT s.through_seq::float8 AS through, s.pruned_through_seq::float8 AS pruned
    FROM audit_chain_heads_of(ARRAY[${orgId}]::uuid[]) h
    JOIN audit_first_seen_state s ON s.org_id = h.org_id AND s.pruned_through_seq = h.pruned_through_seq`;
  if (!state) return [];
  const rows = await tx.unsafe<{ seq: number | null }[]>(
    `SELECT min(least(s.first_seq, f.first_seq))::float8 AS seq
     FROM (${SEEN_BETWEEN}) s
     FULL JOIN (SELECT * FROM audit_first_seen WHERE org_id = $1 AND last_seq >= $2 AND first_seq <= $3) f
       USING (org_id, kind, actor_type, actor, digest)
     WHERE f.first_seq IS NULL OR f.first_seq > s.first_seq OR f.last_seq < s.last_seq OR f.value <> s.value
       OR (f.first_seq BETWEEN $2 AND $3 AND f.first_seq IS DISTINCT FROM s.first_seq)`,
    [orgId, Math.max(first, state.pruned + 1), Math.min(last, state.through)],
  );
  return rows.flatMap(({ seq }) => seq ?? []);
}

/** Deletes the first sightings of a chain, to be rebuilt. */
export async function emptyFirstSeen(tx: postgres.TransactionSql, orgId: string): Promise<void> {
  await tx`DELETE FROM audit_first_seen WHERE org_id = ${orgId}`;
  await tx`DELETE FROM audit_first_seen_state WHERE org_id = ${orgId}`;
}

/**
 * Rows `l` of an organization `o` not yet indexed, read directly so that answers do not depend on the indexer. A
 * subquery inside the comparison would not pass row-level security as an index condition.
 */
const UNREAD = sql.raw(`organizations o, LATERAL (SELECT coalesce(
    (SELECT s.through_seq FROM audit_first_seen_state s WHERE s.org_id = o.id), 0) AS through OFFSET 0) i,
  LATERAL (SELECT * FROM audit_logs r WHERE r.org_id = o.id
    AND r.chain_seq BETWEEN i.through + 1 AND 9223372036854775807 OFFSET 0) l`);

/**
 * First unindexed rows that show something new about an actor, as `u`: an array, so that a query reads them once.
 * rows and seen are conditions on rows `l` of `o`, and on what they show, `n`.
 */
const unreadFirsts = (rows: SQL, seen: SQL): SQL =>
  sql`unnest(ARRAY(SELECT (n.org_id, n.kind, n.first_seq)
  FROM (${sql.raw(HEAD)} ${UNREAD} WHERE ${rows} ${sql.raw(TAIL)}) n
  WHERE ${seen} AND NOT EXISTS (
    SELECT FROM audit_first_seen f WHERE f.org_id = n.org_id AND f.kind = n.kind AND f.actor_type = n.actor_type
      AND f.actor = n.actor AND f.digest = n.digest))) AS u(org_id uuid, kind text, first_seq bigint)`;

/** Rows with a first sighting, and its kind. */
const firstSightings = (kinds: SQL): SQL => sql`(
  SELECT f.org_id, f.kind, f.first_seq FROM audit_first_seen f WHERE f.kind = ANY (${kinds})
  UNION ALL
  SELECT u.org_id, u.kind, u.first_seq FROM ${unreadFirsts(sql`true`, sql`n.kind = ANY (${kinds})`)})`;

/**
 * True if a row `a` shows something new about its actor: no earlier kept row of its chain has the same actor with the
 * same address, network (/24, IPv6 /48) or user agent.
 */
export const isFirstSeen = (kinds: readonly FirstSeen[]): SQL =>
  sql`(a.org_id, a.chain_seq) IN (SELECT s.org_id, s.first_seq FROM ${firstSightings(textArray(kinds))} s)`;

/** First sightings in rows `found` (org_id, chain_seq, key): each kind, how many, and one's key. */
export const countFirstSeen = (): SQL =>
  sql`SELECT s.kind, count(*)::int, min(f.key) FROM found f
    JOIN ${firstSightings(textArray(FIRST_SEEN))} s ON s.org_id = f.org_id AND s.first_seq = f.chain_seq GROUP BY 1`;

type Sealed = { orgId: string; chainSeq: number; user: { id: string } };
type Found = { org_id: string; seq: number; kind: FirstSeen | null; indexed: boolean };

/** Stored first sightings of entries, and whether the index has come to each. */
const readIndexed = (tx: Tx, entries: readonly Sealed[]): Promise<Found[]> =>
  rowsOf(
    tx,
    sql`SELECT w.org_id, w.seq::float8 AS seq, f.kind, coalesce(w.seq <= s.through_seq, false) AS indexed
      FROM unnest(${uuids(entries.map(({ orgId }) => orgId))}, ${bigints(entries.map(({ chainSeq }) => chainSeq))})
        AS w(org_id, seq)
      LEFT JOIN audit_first_seen_state s ON s.org_id = w.org_id
      LEFT JOIN audit_first_seen f ON f.org_id = w.org_id AND f.first_seq = w.seq`,
  );

/** First sightings of entries that the index has not come to, or just has. */
function readUnindexed(tx: Tx, entries: readonly Sealed[]): Promise<Found[]> {
  const orgIds = uuids([...new Set(entries.map(({ orgId }) => orgId))]);
  const actorIds = uuids([...new Set(entries.map(({ user }) => user.id))]);
  const seqs = entries.map(({ chainSeq }) => chainSeq);
  const unread = sql`o.id = ANY (${orgIds}) AND l.chain_seq <= ${Math.max(...seqs)} AND l.actor_id = ANY (${actorIds})`;
  return rowsOf(
    tx,
    sql`WITH wanted AS MATERIALIZED (
        SELECT w.* FROM unnest(${uuids(entries.map(({ orgId }) => orgId))}, ${bigints(seqs)}) AS w(org_id, seq))
      SELECT f.org_id, f.first_seq::float8 AS seq, f.kind FROM wanted w
        JOIN audit_first_seen f ON f.org_id = w.org_id AND f.first_seq = w.seq
      UNION ALL
      SELECT u.org_id, u.first_seq::float8, u.kind FROM wanted w
        JOIN ${unreadFirsts(unread, sql`true`)} ON u.org_id = w.org_id AND u.first_seq = w.seq`,
  );
}

/**
 * Adds `firstSeen` to entries with something new about their actor; returns others as is. A distributed database has no
 * such index, so nothing is added there.
 */
export async function withFirstSeen<E extends Sealed>(
  tx: Tx,
  entries: readonly E[],
): Promise<(E & { firstSeen?: FirstSeen[] })[]> {
  if (entries.length === 0 || !layout().isIndexed) return [...entries];
  const keyOf = (orgId: string, seq: number) => `${orgId} ${seq}`;
  const found = groupBy(await readIndexed(tx, entries), ({ org_id, seq }) => keyOf(org_id, seq));
  const rest = entries.filter(({ orgId, chainSeq }) => !found.get(keyOf(orgId, chainSeq))?.[0]?.indexed);
  const others =
    rest.length > 0 ? groupBy(await readUnindexed(tx, rest), ({ org_id, seq }) => keyOf(org_id, seq)) : undefined;
  return entries.map((entry) => {
    const key = keyOf(entry.orgId, entry.chainSeq);
    const kinds = [...(found.get(key) ?? []), ...(others?.get(key) ?? [])].map(({ kind }) => kind);
    const firstSeen = FIRST_SEEN.filter((kind) => kinds.includes(kind));
    return firstSeen.length > 0 ? { ...entry, firstSeen } : entry;
  });
}
