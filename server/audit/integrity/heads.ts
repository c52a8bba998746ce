import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Break } from "@/server/audit/chain/verifier";
import { log } from "@/server/log";
import { raiseAlarm } from "./alarm";

/** A chain whose head is absent (null) or is not its newest row. */
export type LostHead = { orgId: string; head: number | null; last: number };

/** The chains whose head is not the newest row that they hold, of one organization or of all; one index probe a chain. */
export function listLostHeads(orgId?: string): Promise<LostHead[]> {
  const named = orgId ? sql`WHERE o.id = ${orgId}` : sql``;
  return asSystem((tx) =>
    rowsOf<LostHead>(
      tx,
      sql`SELECT o.id AS "orgId", h.seq::float8 AS head, r.chain_seq::float8 AS last
        FROM (SELECT id FROM organizations o ${named}) o
        LEFT JOIN audit_chain_heads_of(ARRAY(SELECT id FROM organizations o ${named})) h ON h.org_id = o.id
        CROSS JOIN LATERAL (
          SELECT a.chain_seq, a.checksum FROM audit_logs a
          WHERE a.org_id = o.id AND a.chain_seq IS NOT NULL
          ORDER BY a.chain_seq DESC LIMIT 1) r
        WHERE (h.seq, h.checksum) IS DISTINCT FROM (r.chain_seq, r.checksum::text)`,
    ),
  );
}

const toBreak = ({ head, last }: LostHead): Break => ({
  seq: head === null || head > last ? last + 1 : Math.min(head + 1, last),
  id: "",
  kind: "truncated",
  expected: head === null ? "a head that names the last row; there is none" : `the last row at the head, ${head}`,
  actual: `the last row is sequence ${last}`,
});

/** Raises the alarm of each of these chains. Never rejects. */
export async function raiseHeadAlarms(heads: readonly LostHead[]): Promise<void> {
  for (const lost of heads)
    await raiseAlarm({ orgId: lost.orgId, at: new Date().toISOString(), source: "head", breaks: [toBreak(lost)] });
}

/** The database does not continue an organization's chain: raises its alarm if the head is why. Never rejects. */
export async function raiseHeadAlarm(orgId: string): Promise<void> {
  await listLostHeads(orgId)
    .then(raiseHeadAlarms)
    .catch((error: unknown) => log.error({ err: error, orgId }, "the head of a chain could not be looked at"));
}
