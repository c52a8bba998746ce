import { tenant } from "@/db/client";
import { deviceLogPolicies } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { operation } from "@/server/ground/operation";
import { requireOrganization } from "@/server/retention/organization";
import { readDeviceLogPolicy } from "./get";
import { deviceLogPolicy, setInput } from "./schema";

/**
 * Saves how long device logs are kept. A saved policy is a choice: an organization's notice ends with it.
 * @throws AppError not_found
 */
export const setDeviceLogPolicy = operation({
  permission: "audit:manage",
  input: setInput,
  output: deviceLogPolicy,
  stepUp: () => true,
  async run(ctx, { id: orgId, diagnosticDays, eventDays }) {
    const now = ctx.now();
    const { organization, before, after } = await tenant(ctx.scope, async (tx) => {
      const found = await requireOrganization(tx, ctx, orgId);
      const old = await readDeviceLogPolicy(tx, orgId);
      const values = { diagnosticDays, eventDays, pruneFrom: now, updatedAt: now };
      await tx
        .insert(deviceLogPolicies)
        .values({ orgId, ...values })
        .onConflictDoUpdate({ target: deviceLogPolicies.orgId, set: values });
      return { organization: found, before: old, after: await readDeviceLogPolicy(tx, orgId) };
    });
    const kept = (policy: typeof before) => ({ diagnosticDays: policy.diagnosticDays, eventDays: policy.eventDays });
    record(ctx, {
      action: "organization.device_log_retention.update",
      orgId,
      ...resourceOf("organization", { id: orgId, name: organization.name }),
      details: { before: kept(before), after: kept(after) },
    });
    return after;
  },
});
