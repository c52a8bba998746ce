import { and, count, eq, gte, isNotNull, lte, max, min } from "drizzle-orm";
import { tenant } from "@/db/client";
import { auditLogs } from "@/db/schema";
import type { Scope } from "@/server/context";
import { inScope } from "@/server/scope";
import type { Judged } from "./judge";

type Range = { from?: Date | undefined; to?: Date | undefined };

/**
 * The verdict over the entries between two times. The whole chain was read for it: an entry that is gone, or whose time
 * was changed, may have been one of the range, wherever the chain is broken. The range chooses what is counted.
 * @param whole the verdict over the whole chain; entries that came after its reading are not counted
 */
export async function between(scope: Scope, whole: Judged, { from, to }: Range): Promise<Judged> {
  const { orgId, timestamp, chainSeq } = auditLogs;
  const [row] = await tenant(scope, (tx) =>
    tx
      .select({ rows: count(), first: min(chainSeq), last: max(chainSeq) })
      .from(auditLogs)
      .where(
        and(
          inScope(orgId, scope),
          eq(orgId, whole.orgId),
          isNotNull(chainSeq),
          lte(chainSeq, BigInt(whole.lastSeq ?? 0)),
          from && gte(timestamp, from),
          to && lte(timestamp, to),
        ),
      ),
  );
  const rows = row?.rows ?? 0;
  const isEmpty = rows === 0 && (whole.status === "intact" || whole.status === "empty");
  return {
    ...whole,
    status: isEmpty ? "empty" : whole.status,
    rowsChecked: rows,
    firstSeq: rows > 0 ? Number(row?.first) : null,
    lastSeq: rows > 0 ? Number(row?.last) : null,
  };
}
