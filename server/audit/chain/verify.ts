import { reaches } from "@/server/auth/scope";
import type { Ctx } from "@/server/context";
import { invalid } from "@/server/errors";
import { type ChainReader, readChain } from "./chain-stream";
import { readCheckpoints } from "./checkpoint-store";
import { CHAIN_COLUMNS, createLinkReader } from "./copy-rows";
import { type Anchor, type PrunedPrefix, type Verdict, Verifier } from "./verifier";

export type VerifyInput = {
  orgId: string;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Sequences instead of a time range: what the nightly run and the checkpoints ask for. */
  fromSeq?: number;
  toSeq?: number;
  onProgress?: (rows: number) => void;
  signal?: AbortSignal | undefined;
};
export type Integrity = Verdict & { orgId: string; head: Anchor | null };

const PROGRESS_EVERY_ROWS = 20_000;
const MAX_UNSEALED_SHOWN = 10;

type Head = { head: Anchor | null; pruned: PrunedPrefix | null };

/** The newest sealed row of a chain and how far retention cut it, as the database keeps them. */
export async function readHead({ sql }: ChainReader, orgId: string): Promise<Head> {
  const [row] = await sql<
    { seq: string; checksum: string; pruned_through_seq: string; pruned_through_checksum: string | null }[]
  >`
    SELECT * FROM audit_chain_head(${orgId}::uuid)`;
  if (!row) return { head: null, pruned: null };
  const head = { seq: Number(row.seq), checksum: row.checksum };
  const throughSeq = Number(row.pruned_through_seq);
  if (throughSeq === 0) return { head, pruned: null };
  // Retention leaves a receipt inside the chain; a head that claims a pruning without one is not believed.
  const [receipt] = await sql<{ checksum: string | null }[]>`
    SELECT details ->> 'lastChecksum' AS checksum FROM audit_logs
    WHERE org_id = ${orgId}::uuid AND action = 'audit.retention.prune' AND details @> ${sql.json({ lastSeq: throughSeq })}
    ORDER BY chain_seq DESC LIMIT 1`;
  return { head, pruned: receipt ? { throughSeq, throughChecksum: receipt.checksum } : null };
}

export type Range = { first: number; last: number } | "whole" | "none";

/** Sequences between the smallest and the largest in a time range; a range may also be given in sequences. */
export async function rangeOf({ sql }: ChainReader, { orgId, from, to, fromSeq, toSeq }: VerifyInput): Promise<Range> {
  if (fromSeq !== undefined || toSeq !== undefined)
    return { first: fromSeq ?? 1, last: toSeq ?? Number.MAX_SAFE_INTEGER };
  if (!from && !to) return "whole";
  const [row] = await sql<{ first: string | null; last: string | null }[]>`
    SELECT min(chain_seq) AS first, max(chain_seq) AS last FROM audit_logs
    WHERE org_id = ${orgId}::uuid AND "timestamp" >= ${(from ?? new Date(0)).toISOString()}::timestamptz
      AND "timestamp" <= ${(to ?? new Date("9999-12-31T23:59:59.999Z")).toISOString()}::timestamptz`;
  return row?.first ? { first: Number(row.first), last: Number(row.last) } : "none";
}

/** The row before a range, as it is stored: its checksum is what the first row of the range must name. */
export async function anchorBefore(
  { sql }: ChainReader,
  orgId: string,
  first: number,
): Promise<Anchor | { seq: number; checksum: null }> {
  const [row] = await sql<{ checksum: string }[]>`
    SELECT checksum FROM audit_logs WHERE org_id = ${orgId}::uuid AND chain_seq = ${first - 1}`;
  return { seq: first - 1, checksum: row?.checksum ?? null };
}

async function addUnsealed({ sql }: ChainReader, orgId: string, verifier: Verifier): Promise<void> {
  const rows = await sql<{ id: string }[]>`
    SELECT id FROM audit_logs WHERE org_id = ${orgId}::uuid AND chain_seq IS NULL LIMIT ${MAX_UNSEALED_SHOWN}`;
  for (const { id } of rows) verifier.addUnsealed(id);
}

/**
 * Checks a chain, whole or between two timestamps, recomputing every row's contents and comparing with the checkpoints
 * kept outside the database. Streams: memory does not grow with the chain.
 * @returns the contract's integrity answer; breaks in order, the first one exact
 */
export async function verifyChain(ctx: Pick<Ctx, "scope">, input: VerifyInput): Promise<Integrity> {
  const { orgId, signal } = input;
  if (!reaches(ctx.scope, orgId)) throw invalid("orgId", "is outside your reach");
  return readChain({ kind: "organization", orgIds: [orgId], partnerId: "" }, async (reader) => {
    const { head, pruned } = await readHead(reader, orgId);
    const range = await rangeOf(reader, input);
    const whole = range === "whole";
    const bounds = typeof range === "object" ? range : { first: 1, last: Number.MAX_SAFE_INTEGER };
    const first = Math.max(bounds.first, whole ? 1 : (pruned?.throughSeq ?? 0) + 1);
    const fromStart = whole || first === 1 || first === (pruned?.throughSeq ?? 0) + 1;
    const start = fromStart ? { seq: 0, checksum: null } : await anchorBefore(reader, orgId, first);
    const toEnd = bounds.last >= (head?.seq ?? 0);
    const anchors = await readCheckpoints(orgId, { from: first, to: toEnd ? Number.MAX_SAFE_INTEGER : bounds.last });
    const verifier = new Verifier({
      start,
      pruned: fromStart ? pruned : null,
      anchors: range === "none" ? [] : anchors,
    });
    if (range !== "none") {
      let rows = 0;
      const copy = createLinkReader((link) => {
        verifier.add(link);
        if (++rows % PROGRESS_EVERY_ROWS === 0) input.onProgress?.(rows);
      });
      await reader.copy(copyQuery(orgId, first, bounds.last, whole), (chunk) => copy.push(chunk), { signal });
      if (whole) await addUnsealed(reader, orgId, verifier);
    }
    const verdict = verifier.finish(range !== "none" && toEnd ? head : null);
    return { orgId, head, ...verdict, prunedPrefix: pruned };
  });
}

/** The COPY of a part of a chain in order. It takes no parameters; the values are a checked UUID and numbers. */
export function copyQuery(orgId: string, first: number, last: number, whole: boolean): string {
  const range = whole ? "chain_seq IS NOT NULL" : `chain_seq BETWEEN ${Math.floor(first)} AND ${Math.floor(last)}`;
  return `COPY (SELECT ${CHAIN_COLUMNS} FROM audit_logs WHERE org_id = '${orgId.replace(/[^0-9a-f-]/gi, "")}' AND ${range} ORDER BY audit_logs.chain_seq) TO STDOUT (FORMAT binary)`;
}
