import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { deviceLogPolicies } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { requireOrganization } from "@/server/retention/organization";
import { measure, TABLES } from "./measure";
import { type DeviceLogPolicy, deviceLogPolicy } from "./schema";

/** The policy of an organization's device logs and what they take; without a row nothing is ever removed. */
export async function readDeviceLogPolicy(tx: Tx, orgId: string): Promise<DeviceLogPolicy> {
  const [row] = await tx.select().from(deviceLogPolicies).where(eq(deviceLogPolicies.orgId, orgId));
  return {
    orgId,
    configured: row !== undefined,
    diagnosticDays: row?.diagnosticDays ?? null,
    eventDays: row?.eventDays ?? null,
    pruneFrom: row?.pruneFrom.toISOString() ?? null,
    lastCleanupAt: row?.lastCleanupAt?.toISOString() ?? null,
    updatedAt: row?.updatedAt.toISOString() ?? null,
    storage: {
      diagnostic: await measure(tx, TABLES.diagnostic, orgId),
      events: await measure(tx, TABLES.events, orgId),
    },
  };
}

/**
 * How long diagnostic logs and device events of an organization are kept, and how much there is of them.
 * @throws AppError not_found
 */
export const getDeviceLogPolicy = operation({
  permission: "audit:read",
  input: onlyIdInput,
  output: deviceLogPolicy,
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, id);
      return readDeviceLogPolicy(tx, id);
    });
  },
});
