import { count, gt } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditRetentionPolicies } from "@/db/schema";
import { HOUR_MS } from "@/server/ground/time/durations";
import { isPruningEnabled } from "@/server/retention/schedule";
import type { Finding } from "./finding";
import { homeOrganizations } from "./open-of";

/** The run is daily; another process than this one may do it. */
const RAN_WITHIN_MS = 48 * HOUR_MS;

/** Policies that are not carried out. */
export async function checkPruning(now: Date, isEnabled = isPruningEnabled()): Promise<Finding[]> {
  const since = new Date(now.getTime() - RAN_WITHIN_MS);
  const p = auditRetentionPolicies;
  const [[policies], [pruned]] = await asSystem(async (tx) => [
    await tx.select({ n: count() }).from(p),
    await tx.select({ n: count() }).from(p).where(gt(p.lastCleanupAt, since)),
  ]);
  const isOff = !isEnabled && (policies?.n ?? 0) > 0 && (pruned?.n ?? 0) === 0;
  const homes = isOff ? await homeOrganizations() : [];
  return [
    { kind: "pruning.off", checked: "all", found: homes.map(({ orgId }) => ({ orgId, holds: true, detail: {} })) },
  ];
}
