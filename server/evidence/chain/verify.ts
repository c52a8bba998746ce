import type { Ctx } from "@/server/ground/context";
import { invalid } from "@/server/ground/errors";
import { reaches } from "@/server/ground/scope";
import type { ChainReader } from "./chain-stream";
import { type ReaderPool, readChain } from "./chain-stream";
import { permittedThrough } from "./note-signature";
import type { Division } from "./runs/read-runs";
import { readRuns } from "./runs/read-runs";
import { type Anchor, type Break, breakOf, type PrunedPrefix, unsealed, type Verdict, Verifier } from "./verifier";

export type VerifyInput = {
  orgId: string;
  /** Part between two sequences; without them the whole chain. */
  fromSeq?: number | undefined;
  toSeq?: number | undefined;
  /** Whether to derive the head from the rows, because the database lost it; the rows must then be proven. */
  isHeadLost?: boolean | undefined;
  /** Sequence of the row to return, to be checked against signed data. */
  mark?: number | undefined;
  onProgress?: ((rows: number) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Connections to use; by default those for short reads, however long the part. */
  pool?: ReaderPool | undefined;
  /** Division of the reading among threads; does not affect the verdict. */
  division?: Division | undefined;
};
export type Integrity = Verdict & { orgId: string; head: Anchor | null };

const MAX_UNSEALED_SHOWN = 10;

type Head = { head: Anchor | null; pruned: PrunedPrefix | null };

/** Newest sealed row of a chain and its pruned prefix, according to the database. */
async function readHead({ sql }: ChainReader, orgId: string): Promise<Head> {
  const [row] = await sql<
    { seq: string; checksum: string; pruned_through_seq: string; pruned_through_checksum: string | null }[]
  >`
    SELECT * FROM audit_chain_head(${orgId}::uuid)`;
  if (!row) return { head: null, pruned: null };
  const head = { seq: Number(row.seq), checksum: row.checksum };
  const throughSeq = Number(row.pruned_through_seq);
  if (throughSeq === 0) return { head, pruned: null };
  // Ignores a head that claims pruning without a receipt.
  const permitted = (await permittedThrough(sql, orgId)) >= throughSeq;
  return { head, pruned: permitted ? { throughSeq, throughChecksum: row.pruned_through_checksum } : null };
}

/** The head according to the chain's own rows. */
async function headOfRows({ sql }: ChainReader, orgId: string): Promise<Head> {
  const rows = await sql<{ seq: string; checksum: string; prev: string | null }[]>`
    (SELECT chain_seq AS seq, checksum, prev_checksum AS prev FROM audit_logs
      WHERE org_id = ${orgId}::uuid AND chain_seq IS NOT NULL ORDER BY chain_seq LIMIT 1)
    UNION ALL
    (SELECT chain_seq, checksum, prev_checksum FROM audit_logs
      WHERE org_id = ${orgId}::uuid AND chain_seq IS NOT NULL ORDER BY chain_seq DESC LIMIT 1)`;
  const [first, last] = rows;
  if (!first || !last) return { head: null, pruned: null };
  const throughSeq = Number(first.seq) - 1;
  return {
    head: { seq: Number(last.seq), checksum: last.checksum },
    pruned: throughSeq > 0 ? { throughSeq, throughChecksum: first.prev } : null,
  };
}

/** Stored row before a range, whose checksum the first row must name. */
async function anchorBefore(
  { sql }: ChainReader,
  orgId: string,
  first: number,
): Promise<Anchor | { seq: number; checksum: null }> {
  const [row] = await sql<{ checksum: string }[]>`
    SELECT checksum FROM audit_logs WHERE org_id = ${orgId}::uuid AND chain_seq = ${first - 1}`;
  return { seq: first - 1, checksum: row?.checksum ?? null };
}

const unsealedIn = ({ sql }: ChainReader, orgId: string, limit = MAX_UNSEALED_SHOWN): Promise<{ id: string }[]> =>
  sql<{ id: string }[]>`
    SELECT id FROM audit_logs WHERE org_id = ${orgId}::uuid AND chain_seq IS NULL LIMIT ${limit}`;

const tenantOf = (orgId: string) => ({ kind: "organization", orgIds: [orgId], partnerId: "" }) as const;

type Bounds = { first: number; last: number };

/**
 * Reads and judges a chain or a part, which must exist from its first to its last sequence, including the row before.
 */
async function judge(reader: ChainReader, input: VerifyInput, bounds: Bounds | null): Promise<Integrity> {
  const { orgId, signal } = input;
  const { head, pruned } = await (input.isHeadLost ? headOfRows : readHead)(reader, orgId);
  const earliest = (pruned?.throughSeq ?? 0) + 1;
  // A part past the newest entry is read from there: it has no previous row.
  const first = bounds ? Math.min(Math.max(bounds.first, earliest), (head?.seq ?? 0) + 1) : 1;
  const last = bounds?.last ?? Number.MAX_SAFE_INTEGER;
  const fromStart = first <= earliest;
  const toEnd = last >= (head?.seq ?? 0);
  const verifier = new Verifier({
    start: fromStart ? { seq: 0, checksum: null } : await anchorBefore(reader, orgId, first),
    end: toEnd || last < first ? undefined : last,
    pruned: fromStart ? pruned : null,
    mark: input.mark,
  });
  await readRuns(reader, {
    tenant: tenantOf(orgId),
    orgId,
    part: bounds ? { first, last } : { first: null, last: null },
    mark: input.mark,
    onRun: (run) => verifier.addRun(run),
    onProgress: input.onProgress,
    signal,
    division: input.division,
  });
  if (!bounds) for (const { id } of await unsealedIn(reader, orgId)) verifier.addUnsealed(id);
  const verdict = verifier.finish(toEnd ? (head ?? "absent") : "unknown");
  return { orgId, head, ...verdict, prunedPrefix: pruned };
}

/**
 * Checks a chain, whole or by sequence, recomputing every row. Streams: memory does not grow with the chain. Waits for
 * a free connection. The caller compares the row at the mark with signed data.
 * @returns breaks in order, the first one exact
 * @throws AppError validation_failed for an organization outside the caller's reach
 */
export const verifyChain = (ctx: Pick<Ctx, "scope">, input: VerifyInput): Promise<Integrity> =>
  verifyAnd(ctx, input, async (found) => found);

/**
 * Runs verifyChain(), and then `use` with its verdict in the same snapshot.
 * @param use its result is returned
 */
export async function verifyAnd<T>(
  ctx: Pick<Ctx, "scope">,
  input: VerifyInput,
  use: (found: Integrity, reader: ChainReader) => Promise<T>,
): Promise<T> {
  const { orgId, fromSeq, toSeq, signal } = input;
  if (!reaches(ctx.scope, orgId)) throw invalid("orgId", "is none that you have access to");
  const isPart = fromSeq !== undefined || toSeq !== undefined;
  const bounds = isPart ? { first: fromSeq ?? 1, last: toSeq ?? Number.MAX_SAFE_INTEGER } : null;
  const pool = input.pool ?? (isPart ? "short" : "whole");
  const read = async (reader: ChainReader) => use(await judge(reader, input, bounds), reader);
  return readChain(tenantOf(orgId), read, { pool, signal });
}

/**
 * Possible first sequences of a chain: after the pruned rows, according to its head; without a head, anywhere up to
 * what a receipt permits.
 */
async function beginningsOf(reader: ChainReader, orgId: string): Promise<{ earliest: number; latest: number }> {
  const { head, pruned } = await readHead(reader, orgId);
  const removed = head ? (pruned?.throughSeq ?? 0) : await permittedThrough(reader.sql, orgId);
  return { earliest: head ? removed + 1 : 1, latest: removed + 1 };
}

const gapAt = (seq: number): Break =>
  breakOf({ seq, kind: "missing", expected: `sequence ${seq}`, actual: "a gap in the sequence" });

/** First missing sequence before the newest row, or the first row before the permitted start. */
async function gapIn(reader: ChainReader, orgId: string): Promise<Break | null> {
  const { sql } = reader;
  const [all] = await sql<{ rows: string; first: string | null; last: string | null }[]>`
    SELECT count(*) AS rows, min(chain_seq) AS first, max(chain_seq) AS last FROM audit_logs
    WHERE org_id = ${orgId}::uuid AND chain_seq IS NOT NULL`;
  if (!all?.first) return null;
  const first = Number(all.first);
  const { earliest, latest } = await beginningsOf(reader, orgId);
  if (first > latest) return gapAt(latest);
  if (first < earliest)
    return breakOf({ seq: first, kind: "inserted", expected: `sequence ${earliest}`, actual: `sequence ${first}` });
  if (Number(all.last) - first + 1 === Number(all.rows)) return null;
  const [gap] = await sql<{ seq: string }[]>`
    SELECT seq + 1 AS seq FROM (
      SELECT chain_seq AS seq, lead(chain_seq) OVER (ORDER BY chain_seq) AS next FROM audit_logs
      WHERE org_id = ${orgId}::uuid AND chain_seq IS NOT NULL) rows
    WHERE next > seq + 1 ORDER BY seq LIMIT 1`;
  return gapAt(Number(gap?.seq ?? first));
}

/** First gap in a chain, or a row without a seal; or null. Counts in an index, so it is cheap enough for all chains. */
export async function findGap(orgId: string): Promise<Break | null> {
  return readChain(tenantOf(orgId), async (reader) => {
    const gap = await gapIn(reader, orgId);
    if (gap) return gap;
    const [row] = await unsealedIn(reader, orgId, 1);
    return row ? unsealed(row.id) : null;
  });
}
