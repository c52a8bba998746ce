import { tenant } from "@/db/client";
import { readAlarms } from "@/server/evidence/integrity/alarm";
import { operation } from "@/server/ground/operation";
import { findExpired, timeOf } from "./expired";
import { manyInput, manyPreview } from "./schema";

/**
 * What the next run would remove of several organizations if so many days were kept: each is looked at as for itself.
 * @throws AppError forbidden for an organization outside the caller's reach
 */
export const previewMany = operation({
  permission: "audit:read",
  input: manyInput,
  output: manyPreview,
  run(ctx, { orgId, retentionDays }) {
    return tenant(ctx.scope, async (tx) => {
      const organizations: { orgId: string; entries: number; to: string | null }[] = [];
      const alarmed: string[] = [];
      const hasAlarm = new Set((await readAlarms(tx, ctx.scope)).map((alarm) => alarm.orgId));
      for (const id of new Set(orgId)) {
        const expired = await findExpired(tx, id, retentionDays);
        const entries = expired ? expired.lastSeq - expired.firstSeq + 1 : 0;
        if (!expired || entries <= 0) continue;
        if (hasAlarm.has(id)) {
          alarmed.push(id);
          continue;
        }
        const to = await timeOf(tx, id, expired.lastSeq);
        organizations.push({ orgId: id, entries, to: to?.toISOString() ?? null });
      }
      const total = organizations.reduce((sum, { entries }) => sum + entries, 0);
      return { retentionDays, entries: total, organizations, alarmed };
    });
  },
});
