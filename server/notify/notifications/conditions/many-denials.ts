import { sql } from "drizzle-orm";
import { everyOne } from "@/db/citus/each-of";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { FEW_DENIALS, MANY_DENIALS } from "@/server/notify/vocabulary";
import type { Finding } from "./finding";
import { openOf } from "./open-of";

/** Organizations with many denied entries within the hour; one that had them has them until they are few. */
export async function checkManyDenials(now: Date): Promise<Finding[]> {
  const kind = "denials.many";
  const at = sql`${now.toISOString()}::timestamptz`;
  const open = await openOf(kind);
  const rows = await asSystem((tx) =>
    rowsOf<{ orgId: string; denied: number }>(
      tx,
      sql`SELECT o.id AS "orgId", a.denied FROM ${everyOne()}
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS denied FROM audit_logs a
          WHERE a.org_id = o.id AND a.result = 'denied'
            AND a."timestamp" > ${at} - interval '1 hour' AND a."timestamp" <= ${at}) a
        WHERE a.denied >= ${FEW_DENIALS}`,
    ),
  );
  const found = rows.map(({ orgId, denied }) => ({
    orgId,
    holds: denied >= MANY_DENIALS || open.has(orgId),
    detail: { count: denied },
  }));
  return [{ kind, checked: "all", found }];
}
