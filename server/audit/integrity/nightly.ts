import { asc, eq, max } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditVerifications, organizations } from "@/db/schema";
import type { Break } from "@/server/audit/chain/verifier";
import { findGap, type Integrity, verifyChain } from "@/server/audit/chain/verify";
import { systemCtx } from "@/server/context";
import { log } from "@/server/log";
import type { DailyJob } from "@/server/process/daily-jobs";
import { VERIFICATION_CRON } from "@/server/retention/schema";
import { raiseAlarm } from "./alarm";
import { rollingRange } from "./nightly-range";
import { keepVerification, type Progress, readProgress } from "./verifications";

const UNTIL_THE_END = Number.MAX_SAFE_INTEGER;

/** A chain that ends before what an earlier night had read lost its tail, whatever its own head says. */
function cutSince({ head }: Integrity, verifiedThrough: number): Break[] {
  const last = head?.seq ?? 0;
  if (last >= verifiedThrough) return [];
  return [
    {
      seq: last + 1,
      id: "",
      kind: "truncated",
      expected: `rows up to sequence ${verifiedThrough}, which an earlier verification read`,
      actual: last === 0 ? "no row" : `the last row is sequence ${last}`,
    },
  ];
}

/** A row that is gone anywhere in the retained chain, whether or not tonight reads that part of it. */
async function gapIn(orgId: string, seen: readonly Break[]): Promise<Break[]> {
  const gap = await findGap(orgId);
  if (gap === null || seen.some(({ seq }) => seq === gap)) return [];
  return [{ seq: gap, id: "", kind: "missing", expected: `sequence ${gap}`, actual: "a gap in the sequence" }];
}

/**
 * One organization's nightly verification: everything new since the last one, a thirtieth of the rest again, and a
 * count of all its sequences, so that a row that is gone is seen the first night. The result is stored; a break raises the alarm, and the next night reads the same place again.
 * @returns the verdict, or null for an organization that never had a row
 */
export async function verifyNightly(orgId: string, signal?: AbortSignal): Promise<Integrity | null> {
  const ctx = systemCtx();
  const before = await readProgress(orgId);
  const fromSeq = Math.max(1, before.verifiedThrough);
  const fresh = await verifyChain(ctx, { orgId, fromSeq, toSeq: UNTIL_THE_END, signal });
  if (!fresh.head && before.verifiedThrough === 0 && fresh.breaks.length === 0) return null;
  const range = rollingRange(fresh.prunedPrefix?.throughSeq ?? 0, before.verifiedThrough, before.rollingThrough);
  const again = range && (await verifyChain(ctx, { orgId, fromSeq: range.first, toSeq: range.last, signal }));
  const cut = cutSince(fresh, before.verifiedThrough);
  const read = cut.length > 0 ? [...cut, ...(again?.breaks ?? [])] : [...(again?.breaks ?? []), ...fresh.breaks];
  const breaks = [...read, ...(await gapIn(orgId, read))];
  const found: Integrity = {
    ...fresh,
    status: breaks.length > 0 ? "broken" : fresh.status,
    rowsChecked: fresh.rowsChecked + (again?.rowsChecked ?? 0),
    breaks: breaks.sort((a, b) => a.seq - b.seq),
  };
  const now = ctx.now();
  const after: Progress =
    found.status === "broken"
      ? before
      : {
          verifiedThrough: fresh.lastSeq ?? before.verifiedThrough,
          rollingThrough: range?.last ?? before.rollingThrough,
        };
  await keepVerification(found, "nightly", now, after);
  if (found.status === "broken")
    await raiseAlarm({ orgId, at: now.toISOString(), source: "nightly", breaks: found.breaks });
  return found;
}

/**
 * The nightly verification of every organization, one after the other; one that cannot be read keeps nobody back.
 * @throws Error when the signal ended it early, so that it is tried again
 */
export async function runNightly({
  signal,
  orgIds,
}: {
  signal?: AbortSignal;
  orgIds?: readonly string[];
} = {}): Promise<{ verified: number; broken: number; failed: number }> {
  const all = orgIds ?? (await listOrganizationIds());
  const result = { verified: 0, broken: 0, failed: 0 };
  for (const orgId of all) {
    if (signal?.aborted) throw new Error("the nightly verification was stopped");
    try {
      const found = await verifyNightly(orgId, signal);
      if (found) result.verified++;
      if (found?.status === "broken") result.broken++;
    } catch (error) {
      if (signal?.aborted) throw error;
      result.failed++;
      log.error({ err: error, orgId }, "a chain could not be verified");
    }
  }
  log.info(result, "nightly verification");
  return result;
}

async function listOrganizationIds(): Promise<string[]> {
  const rows = await asSystem((tx) =>
    tx.select({ id: organizations.id }).from(organizations).orderBy(asc(organizations.id)),
  );
  return rows.map((row) => row.id);
}

/** The nightly verification of every chain, an hour before pruning. */
export const verificationJob: DailyJob = {
  name: "verification",
  cron: VERIFICATION_CRON,
  async lastRanAt() {
    const { ranAt, kind } = auditVerifications;
    const [row] = await asSystem((tx) =>
      tx
        .select({ at: max(ranAt) })
        .from(auditVerifications)
        .where(eq(kind, "nightly")),
    );
    return row?.at ?? null;
  },
  async run(signal) {
    await runNightly({ signal });
  },
};
