import { tenant } from "@/db/client";
import type { Ctx } from "@/server/context";
import type { IdInput } from "@/server/wire";
import { readPolicy, requireOrganization, toPolicy } from "./organization";
import { isPruningEnabled, nextRunAt } from "./schedule";
import type { Policy, PolicyStatus } from "./schema";

/**
 * The retention policy of an organization.
 * @throws AppError not_found
 */
export function getPolicy(ctx: Ctx, { id }: IdInput): Promise<Policy> {
  return tenant(ctx.scope, async (tx) => {
    await requireOrganization(tx, ctx, id);
    return toPolicy(id, await readPolicy(tx, id));
  });
}

/**
 * The policy and whether and when it will be applied.
 * @throws AppError not_found
 */
export async function getPolicyStatus(ctx: Ctx, input: IdInput): Promise<PolicyStatus> {
  const policy = await getPolicy(ctx, input);
  const pruningEnabled = isPruningEnabled();
  const next = policy.configured && pruningEnabled ? nextRunAt(ctx.now()) : null;
  return { ...policy, pruningEnabled, nextRunAt: next?.toISOString() ?? null };
}
