import { type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Difference } from "@/server/audit/record/sample";
import { type Break, breakOf, MAX_BREAKS } from "@/server/evidence/chain/verifier";
import { newestCheckpoints } from "@/server/evidence/checkpoints/note-store";
import { stopSigning } from "@/server/evidence/checkpoints/sign";
import { log } from "@/server/ground/log";
import { groupBy } from "@/server/ground/records";
import { raiseAlarm } from "./alarm";

/** A chain whose head is absent (null), is not its newest row (0: it has none), or ends before a signed size. */
export type LostHead = { orgId: string; head: number | null; last: number; signed: number };

/** A possible case: so far only the database's word says that a checkpoint covers more than the chain has. */
type Suspect = Omit<LostHead, "signed"> & { isCut: boolean };

/** Two index probes per chain. */
const findSuspects = (tx: Tx, chains: SQL): Promise<Suspect[]> =>
  rowsOf<Suspect>(
    tx,
    sql`SELECT "orgId", head, last, "isCut" FROM (
      SELECT o.id AS "orgId", h.seq::float8 AS head, coalesce(r.chain_seq, 0)::float8 AS last,
        coalesce(h.seq, 0) < n.size AS "isShort",
        r.chain_seq IS NOT NULL AND (h.seq, h.checksum) IS DISTINCT FROM (r.chain_seq, r.checksum::text) AS "isCut"
      FROM ${chains} LEFT JOIN ${layout().headsOf(chains)} h ON h.org_id = o.id
      LEFT JOIN LATERAL (
        SELECT a.chain_seq, a.checksum FROM audit_logs a
        WHERE a.org_id = o.id AND a.chain_seq IS NOT NULL
        ORDER BY a.chain_seq DESC LIMIT 1) r ON true
      LEFT JOIN LATERAL (
        SELECT n.size FROM audit_notes n
        WHERE n.org_id = o.id AND n.kind = 'checkpoint' ORDER BY n.size DESC LIMIT 1) n ON true) found
      WHERE "isCut" OR "isShort"`,
  );

/** Chains that lost their head or end, of one organization or all. */
export function listLostHeads(orgId?: string): Promise<LostHead[]> {
  return asSystem(async (tx) => {
    const suspects = (await findSuspects(tx, orgId ? layout().eachOf([orgId]) : layout().everyOne())).map(
      (suspect) => suspect.orgId,
    );
    if (suspects.length === 0) return [];
    const newest = await newestCheckpoints(tx, suspects);
    // Reads the heads again, last, so that checkpoints of other processes are never beyond them.
    return (await findSuspects(tx, layout().eachOf(suspects)))
      .map(({ isCut, ...chain }) => ({ isCut, lost: { ...chain, signed: newest.get(chain.orgId)?.size ?? 0 } }))
      .filter(({ isCut, lost }) => isCut || (lost.head ?? 0) < lost.signed)
      .map(({ lost }) => lost);
  });
}

const endOf = (last: number): string => (last === 0 ? "there is no entry" : `the last entry is sequence ${last}`);

function toBreak({ head, last, signed }: LostHead): Break {
  const about = { kind: "truncated", actual: endOf(last) } as const;
  if (head === last)
    return breakOf({ ...about, seq: last + 1, expected: `all rows through sequence ${signed}, as signed` });
  return breakOf({
    ...about,
    seq: head === null || head > last ? last + 1 : Math.min(head + 1, last),
    expected: head === null ? "a head that names the last entry" : `the last entry at the head, ${head}`,
  });
}

/** Raises the alarm of each chain. Never rejects. */
export async function raiseHeadAlarms(heads: readonly LostHead[]): Promise<void> {
  for (const lost of heads)
    await raiseAlarm({ orgId: lost.orgId, at: new Date().toISOString(), source: "head", breaks: [toBreak(lost)] });
}

/** Raises alarms for rows stored differently than sent; this process stops signing those logs until a restart. */
export async function raiseDifferences(found: readonly Difference[]): Promise<void> {
  for (const [orgId, rows] of groupBy(found, (row) => row.orgId)) {
    const breaks = rows.slice(0, MAX_BREAKS).map(({ id, seq, columns }): Break => {
      const actual = seq > 0 ? `another ${columns.join(", ")}` : "no such entry";
      return { seq, id, kind: seq > 0 ? "altered" : "missing", expected: "the entry as it was acknowledged", actual };
    });
    stopSigning(orgId, breaks);
    await raiseAlarm({ orgId, at: new Date().toISOString(), source: "recording", breaks });
  }
}

/** The database cannot continue a chain: raises its alarm if the head is the cause. Never rejects. */
export async function raiseHeadAlarm(orgId: string): Promise<void> {
  await listLostHeads(orgId)
    .then(raiseHeadAlarms)
    .catch((error: unknown) => log.error({ err: error, orgId }, "the head of a chain could not be read"));
}
