import { and, desc, eq, isNotNull } from "drizzle-orm";
import { asSystem, tenant } from "@/db/client";
import { auditVerifications } from "@/db/schema";
import type { Integrity } from "@/server/audit/chain/verify";
import type { Scope } from "@/server/context";
import { log } from "@/server/log";
import { inScope } from "@/server/scope";
import type { IntegrityStatus } from "./schema";

type LastVerification = NonNullable<IntegrityStatus["last"]>;
/** How far the nightly run has come: everything through verifiedThrough was read once, through rollingThrough once more. */
export type Progress = { verifiedThrough: number; rollingThrough: number };
type Found = Pick<Integrity, "orgId" | "status" | "rowsChecked" | "firstSeq" | "lastSeq" | "breaks">;

/** Stores what a verification found. A failure to store it is logged: the verdict itself must reach the caller. */
export async function keepVerification(
  found: Found,
  kind: LastVerification["kind"],
  ranAt: Date,
  progress?: Progress,
): Promise<void> {
  const { orgId, status, rowsChecked, firstSeq, lastSeq, breaks } = found;
  const values = {
    ...{ orgId, ranAt, kind, status, rowsChecked, firstSeq, lastSeq, breaks },
    verifiedThroughSeq: progress?.verifiedThrough ?? (kind === "whole" && status === "intact" ? lastSeq : null),
    rollingThroughSeq: progress?.rollingThrough ?? null,
  };
  await asSystem((tx) => tx.insert(auditVerifications).values(values)).catch((error: unknown) =>
    log.error({ err: error, orgId }, "a verification could not be stored"),
  );
}

/** Where the nightly run of an organization continues. */
export function readProgress(orgId: string): Promise<Progress> {
  const { verifiedThroughSeq, rollingThroughSeq } = auditVerifications;
  const newest = (column: typeof verifiedThroughSeq | typeof rollingThroughSeq) =>
    asSystem((tx) =>
      tx
        .select({ seq: column })
        .from(auditVerifications)
        .where(and(eq(auditVerifications.orgId, orgId), isNotNull(column)))
        .orderBy(desc(auditVerifications.ranAt))
        .limit(1),
    );
  return Promise.all([newest(verifiedThroughSeq), newest(rollingThroughSeq)]).then(([[verified], [rolling]]) => ({
    verifiedThrough: verified?.seq ?? 0,
    rollingThrough: rolling?.seq ?? 0,
  }));
}

/** The newest verification of an organization within reach. */
export async function lastVerification(scope: Scope, orgId: string): Promise<LastVerification | null> {
  const where = and(inScope(auditVerifications.orgId, scope), eq(auditVerifications.orgId, orgId));
  const [row] = await tenant(scope, (tx) =>
    tx.select().from(auditVerifications).where(where).orderBy(desc(auditVerifications.ranAt)).limit(1),
  );
  if (!row) return null;
  const { ranAt, kind, status, rowsChecked, firstSeq, lastSeq, breaks } = row;
  return {
    ranAt: ranAt.toISOString(),
    kind,
    status,
    rowsChecked,
    firstSeq,
    lastSeq,
    breaks,
  };
}
