import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";

export type AgentCaller = { id: string; deviceId: string; hostname: string; orgId: string };

/**
 * The calling agent with its device and organization.
 * @throws AppError forbidden when another kind of caller calls an agent's verb.
 */
export function agentCaller(ctx: Ctx): AgentCaller {
  if (ctx.actor.type !== "agent" || ctx.scope.kind !== "organization")
    throw new AppError("forbidden", "Only an agent may do this.");
  const { id, deviceId, hostname } = ctx.actor;
  return { id, deviceId, hostname, orgId: ctx.scope.orgIds[0] };
}
