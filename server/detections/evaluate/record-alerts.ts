import { and, inArray, not } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { detectionAlerts } from "@/db/schema";
import { eventRow, recordDurably } from "@/server/audit/record/record";
import { systemCtx } from "@/server/ground/context";
import { RAISE_ACTION } from "./engine";

const a = detectionAlerts;

/**
 * Writes missing audit entries of alerts. The entry has the alert's id, so that repeating it after a crash stores it
 * once.
 * @param orgIds of these organizations; all by default
 */
export async function recordAlerts(orgIds?: readonly string[]): Promise<void> {
  const where = and(not(a.recorded), orgIds ? inArray(a.orgId, [...orgIds]) : undefined);
  const alerts = await asSystem((tx) => tx.select().from(a).where(where).limit(500));
  if (alerts.length === 0) return;
  const ctx = systemCtx();
  const rows = alerts.map((alert) =>
    eventRow(
      ctx,
      {
        id: alert.id,
        timestamp: alert.raisedAt,
        action: RAISE_ACTION,
        resourceType: "detection_alert",
        resourceId: alert.id,
        resourceName: alert.title,
        details: {
          ...{ ruleId: alert.ruleId, ruleDigest: alert.ruleDigest, level: alert.level, group: alert.groupKey },
          entries: alert.entries.slice(0, alert.raisedEntries),
        },
      },
      alert.orgId,
    ),
  );
  await recordDurably(rows);
  const ids = alerts.map(({ id }) => id);
  await asSystem((tx) => tx.update(a).set({ recorded: true }).where(inArray(a.id, ids)));
}
