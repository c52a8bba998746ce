import { tenant } from "@/db/client";
import { readAlarms } from "@/server/evidence/integrity/alarm";
import { operation } from "@/server/ground/operation";
import { DAY_MS } from "@/server/ground/time/durations";
import { findExpired, timeOf } from "./expired";
import { requireOrganization } from "./organization";
import { preview, previewInput } from "./schema";

/**
 * What the next run would remove if so many days were kept.
 * @throws AppError not_found
 */
export const previewPruning = operation({
  permission: "audit:read",
  input: previewInput,
  output: preview,
  run(ctx, { id, retentionDays }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, id);
      const expired = await findExpired(tx, id, retentionDays);
      const cutoff = (expired?.cutoff ?? new Date(ctx.now().getTime() - retentionDays * DAY_MS)).toISOString();
      const heldBy = expired?.heldBy
        ? {
            seq: expired.heldBy.seq,
            timestamp: expired.heldBy.timestamp.toISOString(),
            until: expired.heldBy.until.toISOString(),
          }
        : null;
      const [alarm] = await readAlarms(tx, { kind: "organization", orgIds: [id], partnerId: "" });
      const alarmSince = alarm?.at ?? null;
      const nothing = { rows: 0, firstSeq: null, lastSeq: null, from: null, to: null };
      if (!expired || expired.lastSeq < expired.firstSeq || alarm)
        return { orgId: id, retentionDays, cutoff, ...nothing, heldBy, alarmSince };
      const { firstSeq, lastSeq } = expired;
      const from = await timeOf(tx, id, firstSeq);
      const to = await timeOf(tx, id, lastSeq);
      return {
        orgId: id,
        retentionDays,
        cutoff,
        rows: lastSeq - firstSeq + 1,
        firstSeq,
        lastSeq,
        from: from?.toISOString() ?? null,
        to: to?.toISOString() ?? null,
        heldBy,
        alarmSince,
      };
    });
  },
});
