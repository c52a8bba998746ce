import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { detectionRules, partners } from "@/db/schema";
import { startPositions, stopPositions } from "@/server/detections/evaluate/run";
import { parseRule } from "@/server/detections/rule/parse";
import { DEFAULT_DEDUPE_SECONDS } from "@/server/detections/vocabulary";
import { SHIPPED_RULES } from "./rules";

const t = detectionRules;
const shipped = SHIPPED_RULES.map((one) => ({ ...one, ...parseRule(one.yaml) }));

/**
 * Adds shipped rules to every partner and updates older texts; partners' decisions (on or off, snoozed) stay.
 * @param partnerId only this partner
 */
export async function seedShippedRules(tx: Tx, partnerId?: string): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('shipped detection rules', 0))`);
  const where = partnerId ? eq(partners.id, partnerId) : undefined;
  const known = await tx
    .select({ partnerId: t.partnerId, key: t.shipped, digest: t.digest, id: t.id, enabled: t.enabled, orgId: t.orgId })
    .from(t)
    .where(and(isNotNull(t.shipped), partnerId ? eq(t.partnerId, partnerId) : undefined));
  const byKey = new Map(known.map((row) => [`${row.partnerId} ${row.key}`, row]));
  for (const partner of await tx.select({ id: partners.id }).from(partners).where(where))
    for (const { key, isOn, yaml, title, level, digest } of shipped) {
      const found = byKey.get(`${partner.id} ${key}`);
      const text = { title, level, yaml, digest };
      if (found?.digest === digest) continue;
      if (found) {
        await tx.update(t).set(text).where(eq(t.id, found.id));
        await stopPositions(tx, found.id);
        if (found.enabled) await startPositions(tx, found);
        continue;
      }
      const [row] = await tx
        .insert(t)
        .values({
          ...{ partnerId: partner.id, shipped: key, enabled: isOn, ...text },
          ...{ dedupeSeconds: DEFAULT_DEDUPE_SECONDS, createdByName: "Trailmark" },
        })
        .onConflictDoNothing()
        .returning();
      if (row?.enabled) await startPositions(tx, row);
    }
}
