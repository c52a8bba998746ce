import { tenant } from "@/db/client";
import { operation } from "@/server/ground/operation";
import { onlyIdInput } from "@/server/ground/wire";
import { readPolicy, requireOrganization, toPolicy } from "./organization";
import { isPruningEnabled, nextRunAt } from "./schedule";
import { policy, policyStatus } from "./schema";

/**
 * The retention policy of an organization.
 * @throws AppError not_found
 */
export const getPolicy = operation({
  permission: "audit:read",
  input: onlyIdInput,
  output: policy,
  run(ctx, { id }) {
    return tenant(ctx.scope, async (tx) => {
      await requireOrganization(tx, ctx, id);
      return toPolicy(id, await readPolicy(tx, id));
    });
  },
});

/**
 * The policy and whether and when it will be applied.
 * @throws AppError not_found
 */
export const getPolicyStatus = operation({
  permission: "audit:read",
  input: onlyIdInput,
  output: policyStatus,
  async run(ctx, input) {
    const policy = await getPolicy.run(ctx, input);
    const pruningEnabled = isPruningEnabled();
    const next = policy.configured && pruningEnabled ? nextRunAt(ctx.now()) : null;
    return { ...policy, pruningEnabled, nextRunAt: next?.toISOString() ?? null };
  },
});
