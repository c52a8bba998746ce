import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { agents } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { findDevice } from "@/server/devices/devices";
import { relay } from "@/server/devices/live/relay";
import { closeStream } from "@/server/devices/live/store";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { DAY_MS } from "@/server/ground/time/durations";
import { idInput } from "@/server/ground/wire";
import { releaseOutput } from "./schema";

/** Time during which a released agentId may be enrolled without its token. */
const RELEASE_MS = DAY_MS;

/** @throws AppError not_found for a device without an agent, a missing or a foreign one */
async function lockAgent(tx: Tx, ctx: Ctx, deviceId: string) {
  const device = await findDevice(ctx, tx, deviceId);
  const [agent] = await tx.select().from(agents).where(eq(agents.deviceId, device.id)).for("update");
  if (!agent) throw notFound("agent");
  return { agent, hostname: device.hostname };
}

type Locked = Awaited<ReturnType<typeof lockAgent>>;
const about = ({ agent, hostname }: Locked) => ({
  orgId: agent.orgId,
  ...resourceOf("device", { id: agent.deviceId, name: hostname }),
});

/**
 * DELETE /devices/:id/agent: refuses the agent's token from now on and ends its stream. Only a release lets it back in,
 * neither its token nor an enrollment key.
 * @throws AppError not_found
 */
export const revokeAgent = operation({
  permission: "agents:enroll",
  input: idInput,
  output: "empty",
  async run(ctx, { id }) {
    const { closed, ...found } = await tenant(ctx.scope, async (tx) => {
      const locked = await lockAgent(tx, ctx, id);
      const revoked = { revokedAt: locked.agent.revokedAt ?? ctx.now(), releasedUntil: null };
      await tx.update(agents).set(revoked).where(eq(agents.id, locked.agent.id));
      return { ...locked, closed: await closeStream(tx, locked.agent.id) };
    });
    if (!found.agent.revokedAt)
      record(ctx, { ...about(found), action: "agent.revoke", details: { agentId: found.agent.id } });
    relay().notifyClosed(closed);
  },
});

/**
 * POST /devices/:id/agent/release: for a day the agent's id may be enrolled without its token, even after a revocation:
 * for a reinstalled machine.
 * @throws AppError not_found
 */
export const releaseAgent = operation({
  permission: "agents:enroll",
  input: idInput,
  output: releaseOutput,
  stepUp: () => true,
  async run(ctx, { id }) {
    const releasedUntil = new Date(ctx.now().getTime() + RELEASE_MS);
    const found = await tenant(ctx.scope, async (tx) => {
      const locked = await lockAgent(tx, ctx, id);
      await tx.update(agents).set({ releasedUntil }).where(eq(agents.id, locked.agent.id));
      return locked;
    });
    const answer = { agentId: found.agent.id, releasedUntil: releasedUntil.toISOString() };
    record(ctx, { ...about(found), action: "agent.release", details: answer });
    return answer;
  },
});
