import { tenant } from "@/db/client";
import { operation } from "@/server/ground/operation";
import { requireOrganization } from "@/server/retention/organization";
import { countExpired, cutoffOf, TABLES } from "./measure";
import { deviceLogPreview, previewInput } from "./schema";

/**
 * What the next run would remove of an organization's device logs if they were kept for so many days.
 * @throws AppError not_found
 */
export const previewDeviceLogs = operation({
  permission: "audit:read",
  input: previewInput,
  output: deviceLogPreview,
  run(ctx, { id: orgId, diagnosticDays, eventDays }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, orgId);
      const now = ctx.now();
      return {
        orgId,
        diagnostic: await countExpired(tx, TABLES.diagnostic, { orgId, cutoff: cutoffOf(now, diagnosticDays) }),
        events: await countExpired(tx, TABLES.events, { orgId, cutoff: cutoffOf(now, eventDays) }),
      };
    });
  },
});
