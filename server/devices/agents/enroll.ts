import { and, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { agents, devices, enrollmentKeys } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { relay } from "@/server/devices/live/relay";
import { type Closed, closeStream } from "@/server/devices/live/stream-store";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { canonicalId, newId } from "@/server/ground/ids";
import { limit, requireAttemptsLeft } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { hashSecret, looksLike, newSecret, sameHash } from "@/server/ground/secrets";
import { type EnrollInput, enrollInput, enrollOutput } from "./schema";

/** closed: the stream of the token that was replaced. */
type Enrolled = { agentId: string; deviceId: string; orgId: string; isNewDevice: boolean; closed?: Closed };
/** refused: the agentId is known, and the caller has shown no right to it. */
type Outcome = { kind: "unknown key" } | { kind: "refused"; orgId: string } | ({ kind: "enrolled" } & Enrolled);

/** Counts one use of the key in the same statement that checks it, so that a key for one use serves one caller. */
async function useKey(tx: Tx, secret: string, now: Date): Promise<string | undefined> {
  if (!looksLike("enrollment", secret)) return;
  const [key] = await tx
    .update(enrollmentKeys)
    .set({ uses: sql`${enrollmentKeys.uses} + 1` })
    .where(
      and(
        eq(enrollmentKeys.keyHash, hashSecret(secret)),
        isNull(enrollmentKeys.revokedAt),
        or(isNull(enrollmentKeys.expiresAt), gt(enrollmentKeys.expiresAt, now)),
        or(isNull(enrollmentKeys.maxUses), lt(enrollmentKeys.uses, enrollmentKeys.maxUses)),
      ),
    )
    .returning({ orgId: enrollmentKeys.orgId });
  return key?.orgId;
}

const toOutput = ({ agentId, deviceId, orgId }: Enrolled, token: string) => ({ agentId, deviceId, orgId, token });

const deviceColumns = (input: EnrollInput) => ({
  hostname: input.hostname,
  os: input.os,
  ...(input.osVersion ? { osVersion: input.osVersion } : {}),
  ...(input.agentVersion ? { agentVersion: input.agentVersion } : {}),
});

/**
 * Notes what another RMM product calls the device, so that an import resolves it exactly. The newest claim within one
 * organization counts; a source id that the partner has recorded for another organization stays where it is.
 */
async function noteSourceId(tx: Tx, { deviceId, orgId }: Enrolled, input: EnrollInput): Promise<void> {
  if (!input.sourceSystem || !input.sourceDeviceId) return;
  await tx.execute(sql`
    INSERT INTO device_source_ids (partner_id, source, source_id, device_id, org_id)
    SELECT o.partner_id, ${input.sourceSystem.toLowerCase()}, ${input.sourceDeviceId}, ${deviceId}::uuid, o.id
    FROM organizations o WHERE o.id = ${orgId}::uuid
    ON CONFLICT (partner_id, source, source_id) DO UPDATE SET device_id = excluded.device_id
    WHERE device_source_ids.org_id = excluded.org_id`);
}

/** The key is on every machine: a known agent's own token is asked for, or an administrator's release. */
function mayTakeOver(known: typeof agents.$inferSelect, { agentToken }: EnrollInput, now: Date): boolean {
  if (known.releasedUntil && known.releasedUntil > now) return true;
  if (known.revokedAt || !agentToken || !looksLike("agent", agentToken)) return false;
  return sameHash(known.tokenHash, hashSecret(agentToken));
}

type Claim = { orgId: string; input: EnrollInput; tokenHash: string; now: Date };

/** The device of the agent id, new or known to this organization; null where the caller may not have it. */
async function claimAgent(tx: Tx, { orgId, input, tokenHash, now }: Claim): Promise<Enrolled | null> {
  const agentId = input.agentId ?? newId();
  const actorId = canonicalId(agentId);
  // Two organizations may claim one id at the same moment: the second waits and then sees the first's row.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`agent ${actorId}`}, 0))`);
  // Locked: an administrator who revokes it at this moment comes before or after, never in between.
  const ofOne = await tx.select().from(agents).where(eq(agents.actorId, actorId)).for("update");
  const known = ofOne.find(({ id }) => id === agentId) ?? ofOne[0];
  if (known && (known.orgId !== orgId || !mayTakeOver(known, input, now))) return null;
  if (known) {
    await tx.update(agents).set({ tokenHash, revokedAt: null, releasedUntil: null }).where(eq(agents.id, known.id));
    await tx
      .update(devices)
      .set({ ...deviceColumns(input), updatedAt: now })
      .where(eq(devices.id, known.deviceId));
    const closed = await closeStream(tx, known.id);
    return { agentId: known.id, deviceId: known.deviceId, orgId, isNewDevice: false, closed };
  }
  const deviceId = newId();
  await tx.insert(devices).values({ id: deviceId, orgId, ...deviceColumns(input), lastSeenAt: now });
  await tx.insert(agents).values({ id: agentId, deviceId, orgId, tokenHash });
  return { agentId, deviceId, orgId, isNewDevice: true };
}

function recordEnrolment(ctx: Ctx, input: EnrollInput, enrolled: Enrolled): void {
  const { agentId, deviceId, orgId, isNewDevice } = enrolled;
  const self: Ctx = {
    ...ctx,
    homeOrgId: orgId,
    actor: { type: "agent", id: agentId, deviceId, hostname: input.hostname },
  };
  const about = {
    orgId,
    ...resourceOf("device", { id: deviceId, name: input.hostname }),
    result: "success",
  } as const;
  if (isNewDevice)
    record(self, { ...about, action: "device.create", details: { hostname: input.hostname, os: input.os } });
  record(self, { ...about, action: "agent.enroll", details: { agentId, os: input.os, reenrolled: !isNewDevice } });
}

const KNOWN_AGENT =
  "That agentId is enrolled already: give its present token as agentToken, or have an administrator release it.";

function refuseKnownAgent(ctx: Ctx, { agentId, hostname }: EnrollInput, orgId: string): AppError {
  record(
    { ...ctx, homeOrgId: orgId },
    {
      orgId,
      action: "agent.enroll",
      resourceType: "device",
      resourceName: hostname,
      details: { agentId },
      result: "denied",
      errorMessage: KNOWN_AGENT,
    },
  );
  return new AppError("conflict", KNOWN_AGENT);
}

/**
 * Enrols an agent: a new device, or for an agentId that this organization has already, the same device with a
 * new token, if the present one is given or an administrator has released the agent; its streams end. Each call counts
 * as one use of the key, a refused one too: a client that tries ids pays for each.
 * @returns the agent's token, in the clear here alone.
 * @throws AppError unauthenticated when the key is unknown, expired, revoked or used up (which, it does not say);
 * conflict when the agentId is known, here or to another organization (which, it does not say); rate_limited.
 */
export const enrollAgent = operation({
  input: enrollInput,
  output: enrollOutput,
  async limits({ ip }) {
    await limit("enroll", ip);
    await requireAttemptsLeft("enroll.failed", ip);
  },
  async run(ctx, input) {
    const token = newSecret("agent");
    const now = ctx.now();
    const outcome = await asSystem(async (tx): Promise<Outcome> => {
      const orgId = await useKey(tx, input.enrollmentKey, now);
      if (orgId === undefined) return { kind: "unknown key" };
      const claimed = await claimAgent(tx, { orgId, input, tokenHash: token.hash, now });
      if (!claimed) return { kind: "refused", orgId };
      await noteSourceId(tx, claimed, input);
      // Sent again after a crash the request could not enrol: the key may be used up, and the agent is known.
      await ctx.keep?.(tx, toOutput(claimed, token.secret));
      return { kind: "enrolled", ...claimed };
    });
    if (outcome.kind !== "enrolled") await limit("enroll.failed", ctx.ip);
    if (outcome.kind === "unknown key")
      throw new AppError("unauthenticated", "The enrollment key is unknown, expired, revoked or used up.");
    if (outcome.kind === "refused") throw refuseKnownAgent(ctx, input, outcome.orgId);
    recordEnrolment(ctx, input, outcome);
    if (outcome.closed) relay().notifyClosed(outcome.closed);
    return toOutput(outcome, token.secret);
  },
});
