import { type Tenant, tenant } from "@/db/client";
import type { BundleRange } from "@/server/evidence/bundle/format";
import { rowLine, skipLine, skippedNodes } from "@/server/evidence/bundle/write";
import type { ChainReader } from "@/server/evidence/chain/chain-stream";
import { CHAIN_COLUMNS, createRowReader } from "@/server/evidence/chain/copy-rows";
import { readNodes } from "@/server/evidence/checkpoints/nodes";
import { TreeDamage } from "@/server/evidence/checkpoints/tiles";
import type { BundleStream } from "./stream";

/** Adjacent entries of a range, from one sequence through another. */
type Run = { first: number; last: number };

/** Runs fetched at a time, with the hashes between them: memory does not grow with the range. */
const RUNS_AT_ONCE = 500;

type Log = { orgId: string; size: number; range: BundleRange };

const uuid = (orgId: string): string => orgId.replace(/[^0-9a-f-]/gi, "");

/**
 * SQL condition of a range's entries. COPY and DECLARE take no parameters; the values are checked UUIDs, times and
 * numbers.
 */
function condition({ orgId, size, range }: Log): string {
  const [first, last] = range.kind === "sequence" ? [range.first, range.last] : [1, size];
  const [from, to] = range.kind === "time" ? [range.from, range.to] : [null, null];
  return [
    `org_id = '${uuid(orgId)}'`,
    `chain_seq BETWEEN ${Math.floor(first)} AND ${Math.floor(last)}`,
    ...(from ? [`"timestamp" >= '${new Date(from).toISOString()}'::timestamptz`] : []),
    ...(to ? [`"timestamp" <= '${new Date(to).toISOString()}'::timestamptz`] : []),
  ].join(" AND ");
}

/** Last sequence of a range; 0 if it has no entry. */
export async function lastIn({ sql }: ChainReader, log: Log): Promise<number> {
  const [row] = await sql.unsafe<{ last: string | null }[]>(
    `SELECT max(chain_seq) AS last FROM audit_logs WHERE ${condition(log)}`,
  );
  return Number(row?.last ?? 0);
}

/** Runs of a range in order, in batches. A time range has many; others have one, however damaged. */
async function* runsOf({ sql }: ChainReader, log: Log): AsyncGenerator<Run[]> {
  if (log.range.kind !== "time") {
    const [row] = await sql.unsafe<{ first: string | null; last: string }[]>(
      `SELECT min(chain_seq) AS first, max(chain_seq) AS last FROM audit_logs WHERE ${condition(log)}`,
    );
    if (row?.first) yield [{ first: Number(row.first), last: Number(row.last) }];
    return;
  }
  await sql.unsafe(`DECLARE evidence_runs NO SCROLL CURSOR FOR
    SELECT min(chain_seq) AS first, max(chain_seq) AS last
    FROM (
      SELECT chain_seq, chain_seq - row_number() OVER (ORDER BY chain_seq) AS run FROM audit_logs WHERE ${condition(log)}
    ) numbered
    GROUP BY run ORDER BY min(chain_seq)`);
  for (;;) {
    const rows = await sql.unsafe<{ first: string; last: string }[]>(`FETCH ${RUNS_AT_ONCE} FROM evidence_runs`);
    if (rows.length > 0) yield rows.map(({ first, last }) => ({ first: Number(first), last: Number(last) }));
    if (rows.length < RUNS_AT_ONCE) return;
  }
}

/** Gaps between runs: entries from `next` on that are not shown. */
function gapsOf(runs: readonly Run[], next: number): Run[] {
  return runs.map(({ first }, i) => ({ first: i === 0 ? next : (runs[i - 1]?.last ?? 0) + 1, last: first - 1 }));
}

/**
 * Skip lines, one per gap, empty for an empty gap. If entries and their tree hashes are both missing, the bundle
 * continues without a skip and every verifier reports the place.
 */
async function skipLines(scope: Tenant, { orgId, size }: Log, gaps: readonly Run[]): Promise<string[]> {
  const ids = gaps.flatMap(({ first, last }) => skippedNodes(first, last));
  if (ids.length === 0) return gaps.map(() => "");
  const node = await tenant(scope, (tx) => readNodes(tx, { orgId, size, ids })).catch((error: unknown) => {
    if (error instanceof TreeDamage) return null;
    throw error;
  });
  if (!node) return gaps.map(() => "");
  return gaps.map(({ first, last }) => skipLine(node, first, last));
}

type Target = { scope: Tenant; out: BundleStream; signal: AbortSignal };

/** Writes the entries of a range in order, and hashes for all others up to the checkpoint's size. */
export async function writeEntries(reader: ChainReader, log: Log, { scope, out, signal }: Target): Promise<void> {
  // No timeout, because the client sets the pace; the stream ends an idle one.
  await reader.sql.unsafe("SET LOCAL statement_timeout = 0");
  let next = 1;
  for await (const runs of runsOf(reader, log)) {
    const skips = await skipLines(scope, log, gapsOf(runs, next));
    let at = 0;
    const rows = createRowReader((row) => {
      if (row.chainSeq === runs[at]?.first) out.write(skips[at++] ?? "");
      out.write(rowLine(row));
    });
    const [first, last] = [runs[0]?.first ?? 0, runs.at(-1)?.last ?? 0];
    await reader.copy(
      `COPY (SELECT ${CHAIN_COLUMNS} FROM audit_logs WHERE ${condition(log)} AND chain_seq BETWEEN ${first} AND ${last}
        ORDER BY audit_logs.chain_seq) TO STDOUT (FORMAT binary)`,
      (chunk) => rows.push(chunk),
      { signal, ready: () => out.ready() },
    );
    next = last + 1;
  }
  const [rest] = await skipLines(scope, log, [{ first: next, last: log.size }]);
  out.write(rest ?? "");
}
