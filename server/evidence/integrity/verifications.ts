import { and, desc, eq, isNotNull } from "drizzle-orm";
import { asSystem, tenant } from "@/db/client";
import { auditVerifications } from "@/db/schema";
import type { Scope } from "@/server/ground/context";
import { log } from "@/server/ground/log";
import { inScope } from "@/server/ground/scope";
import { isInTime } from "./coverage";
import type { Judged } from "./judge";
import type { Slice } from "./nightly-range";
import type { Covered, IntegrityStatus } from "./schema";
import { readStates } from "./state";

type LastVerification = NonNullable<IntegrityStatus["last"]>;
/** Progress of the nightly run: everything through verifiedThrough was read once, and the slice again. */
export type Progress = { verifiedThrough: number; slice: Slice | null };
type Found = Pick<Judged, "orgId" | "status" | "reasons" | "rowsChecked" | "firstSeq" | "lastSeq" | "breaks"> & {
  covered: Pick<Covered, "lastSeq">;
};

/**
 * Stores a verification's result, dated by the database. A failure is logged, because the verdict itself must reach the
 * caller.
 * @returns whether it is stored, which is required to end an alarm
 */
export async function keepVerification(
  found: Found,
  kind: LastVerification["kind"],
  progress?: Progress,
): Promise<boolean> {
  const { orgId, status, reasons, rowsChecked, firstSeq, lastSeq, breaks, covered } = found;
  const values = {
    orgId,
    kind,
    status,
    reasons,
    rowsChecked,
    firstSeq,
    lastSeq,
    breaks,
    coveredThroughSeq: covered.lastSeq,
    verifiedThroughSeq: progress?.verifiedThrough ?? (kind === "whole" && status === "intact" ? lastSeq : null),
    rollingThroughSeq: progress?.slice?.last ?? null,
    slice: progress?.slice ? { ...progress.slice, beganAt: progress.slice.beganAt.toISOString() } : null,
  };
  return asSystem((tx) => tx.insert(auditVerifications).values(values)).then(
    () => true,
    (error: unknown) => {
      log.error({ err: error, orgId }, "a verification could not be stored");
      return false;
    },
  );
}

/** Where an organization's nightly run continues. */
export async function readProgress(orgId: string): Promise<Progress> {
  const { verifiedThroughSeq, slice, ranAt } = auditVerifications;
  const newest = (column: typeof verifiedThroughSeq | typeof slice) =>
    asSystem((tx) =>
      tx
        .select({ seq: verifiedThroughSeq, slice })
        .from(auditVerifications)
        .where(and(eq(auditVerifications.orgId, orgId), isNotNull(column), isInTime(ranAt)))
        .orderBy(desc(ranAt))
        .limit(1),
    );
  const [[verified], [again]] = await Promise.all([newest(verifiedThroughSeq), newest(slice)]);
  return {
    verifiedThrough: verified?.seq ?? 0,
    slice: again?.slice ? { ...again.slice, beganAt: new Date(again.slice.beganAt) } : null,
  };
}

/** Room for a night that began late or took long, but not for a missed one. */
const NIGHT_MS = 26 * 60 * 60_000;

/**
 * Last entry whose contents retention need not hash again: the last night, or a whole reading since, ended intact, and all
 * entries were read within READ_WITHIN_DAYS. 0 when all must be hashed.
 */
export async function readThroughByNight(orgId: string): Promise<number> {
  const known = (await asSystem((tx) => readStates(tx, [orgId], []))).get(orgId);
  const at = known?.coverage.lastRanAt;
  if (known?.state.status !== "intact" || !at || Date.now() - Date.parse(at) > NIGHT_MS) return 0;
  return (await readProgress(orgId)).verifiedThrough;
}

/** The newest verification of an organization within reach. */
export async function lastVerification(scope: Scope, orgId: string): Promise<LastVerification | null> {
  const { ranAt, kind, status, reasons, rowsChecked, firstSeq, lastSeq, breaks } = auditVerifications;
  const where = and(inScope(auditVerifications.orgId, scope), eq(auditVerifications.orgId, orgId), isInTime(ranAt));
  const shown = { ranAt, kind, status, reasons, rowsChecked, firstSeq, lastSeq, breaks };
  const [row] = await tenant(scope, (tx) =>
    tx.select(shown).from(auditVerifications).where(where).orderBy(desc(ranAt)).limit(1),
  );
  return row ? { ...row, ranAt: row.ranAt.toISOString() } : null;
}
