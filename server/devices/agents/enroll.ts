import { and, eq, gt, isNull, lt, ne, or, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { agents, devices, enrollmentKeys, deviceSourceIds as held } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { relay } from "@/server/devices/live/relay";
import { type Closed, closeStream } from "@/server/devices/live/store";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { canonicalId, newId } from "@/server/ground/ids";
import { limit, requireAttemptsLeft } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { hashSecret, looksLike, newSecret, sameHash } from "@/server/ground/secrets";
import { type EnrollInput, enrollInput, enrollOutput } from "./schema";

/** closed: stream of the replaced token. */
type Enrolled = {
  agentId: string;
  deviceId: string;
  orgId: string;
  isNewDevice: boolean;
  isSourceIdTaken?: boolean;
  closed?: Closed;
};
/** refused: the agentId is known, and the caller has no right to it. */
type Outcome = { kind: "unknown key" } | { kind: "refused"; orgId: string } | ({ kind: "enrolled" } & Enrolled);

/** The key, if neither revoked nor expired. */
const goodKey = (secret: string, now: Date) =>
  and(
    eq(enrollmentKeys.keyHash, hashSecret(secret)),
    isNull(enrollmentKeys.revokedAt),
    or(isNull(enrollmentKeys.expiresAt), gt(enrollmentKeys.expiresAt, now)),
  );

const unknownKey = () => new AppError("unauthenticated", "The enrollment key is unknown, expired, revoked or used up.");

/**
 * Checks the key of a repeated enrollment; a key used up by the first one passes.
 * @throws AppError unauthenticated
 */
export async function requireGoodKey(secret: unknown): Promise<void> {
  const found = await asSystem((tx) => tx.$count(enrollmentKeys, goodKey(String(secret), new Date())));
  if (found === 0) throw unknownKey();
}

/** Checks the key and counts a use in one statement, so that a single-use key serves one caller. */
async function useKey(tx: Tx, secret: string, now: Date): Promise<string | undefined> {
  if (!looksLike("enrollment", secret)) return;
  const [key] = await tx
    .update(enrollmentKeys)
    .set({ uses: sql`${enrollmentKeys.uses} + 1` })
    .where(
      and(goodKey(secret, now), or(isNull(enrollmentKeys.maxUses), lt(enrollmentKeys.uses, enrollmentKeys.maxUses))),
    )
    .returning({ orgId: enrollmentKeys.orgId });
  return key?.orgId;
}

const toOutput = ({ agentId, deviceId, orgId, isSourceIdTaken = false }: Enrolled, token: string) => ({
  agentId,
  deviceId,
  orgId,
  token,
  isSourceIdTaken,
});

const deviceColumns = (input: EnrollInput) => ({
  hostname: input.hostname,
  os: input.os,
  ...(input.osVersion ? { osVersion: input.osVersion } : {}),
  ...(input.agentVersion ? { agentVersion: input.agentVersion } : {}),
});

/**
 * Stores the device's id in another RMM product, so that an import matches it exactly. The first claim counts until an
 * administrator releases the agent, because the enrollment key is on every machine.
 * @returns whether another device of the organization has the source id
 */
async function noteSourceId(tx: Tx, { deviceId, orgId }: Enrolled, input: EnrollInput): Promise<boolean> {
  if (!input.sourceSystem || !input.sourceDeviceId) return false;
  const source = input.sourceSystem.toLowerCase();
  await tx.execute(sql`
    INSERT INTO device_source_ids (partner_id, source, source_id, device_id, org_id)
    SELECT o.partner_id, ${source}, ${input.sourceDeviceId}, ${deviceId}::uuid, o.id
    FROM organizations o WHERE o.id = ${orgId}::uuid
    ON CONFLICT (partner_id, source, source_id) DO UPDATE SET device_id = excluded.device_id
    WHERE device_source_ids.org_id = excluded.org_id AND EXISTS (
      SELECT FROM agents a WHERE a.device_id = device_source_ids.device_id AND a.released_until > now())`);
  const ofOthers = and(eq(held.orgId, orgId), eq(held.source, source), eq(held.sourceId, input.sourceDeviceId));
  return (await tx.$count(held, and(ofOthers, ne(held.deviceId, deviceId)))) > 0;
}

/** The enrollment key is on every machine, so a known agent also needs its own token or an administrator's release. */
function mayTakeOver(known: typeof agents.$inferSelect, { agentToken }: EnrollInput, now: Date): boolean {
  if (known.releasedUntil && known.releasedUntil > now) return true;
  if (known.revokedAt || !agentToken || !looksLike("agent", agentToken)) return false;
  return sameHash(known.tokenHash, hashSecret(agentToken));
}

type Claim = { orgId: string; input: EnrollInput; tokenHash: string; now: Date };

/** Device of the agent id, new or known to this organization; null if the caller may not have it. */
async function claimAgent(tx: Tx, { orgId, input, tokenHash, now }: Claim): Promise<Enrolled | null> {
  const agentId = input.agentId ?? newId();
  const actorId = canonicalId(agentId);
  // Of two organizations that claim one id, the second waits and then sees the first's row.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`agent ${actorId}`}, 0))`);
  // Locked, so that a concurrent revocation comes before or after.
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
  await tx.insert(devices).values({ id: deviceId, orgId, ...deviceColumns(input), lastSeenAt: now, createdAt: now });
  await tx.insert(agents).values({ id: agentId, deviceId, orgId, tokenHash, createdAt: now });
  return { agentId, deviceId, orgId, isNewDevice: true };
}

function recordEnrolment(ctx: Ctx, input: EnrollInput, enrolled: Enrolled): void {
  const { agentId, deviceId, orgId, isNewDevice, isSourceIdTaken } = enrolled;
  const self: Ctx = {
    ...ctx,
    homeOrgId: orgId,
    actor: { type: "agent", id: agentId, deviceId, hostname: input.hostname },
  };
  const about = { orgId, ...resourceOf("device", { id: deviceId, name: input.hostname }) };
  if (isNewDevice)
    record(self, { ...about, action: "device.create", details: { hostname: input.hostname, os: input.os } });
  const { sourceSystem, sourceDeviceId, os } = input;
  const taken = isSourceIdTaken && { sourceIdTaken: `${sourceSystem} ${sourceDeviceId}` };
  const details = { agentId, os, reenrolled: !isNewDevice, ...taken };
  record(self, { ...about, action: "agent.enroll", details });
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
 * Enrolls an agent: a new device or, for a known agentId of this organization, the same device with a new token, given
 * the current one or an administrator's release; its streams end. Each call counts as a use of the key, even a refused
 * one, so that guessing ids costs uses.
 * @returns the agent's token, in plain text only here.
 * @throws AppError unauthenticated when the key is unknown, expired, revoked or used up (not distinguished); conflict
 * when the agentId is known, here or to another organization (not distinguished); rate_limited.
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
      claimed.isSourceIdTaken = await noteSourceId(tx, claimed, input);
      // A repeat after a crash could not enroll: the key may be used up, and the agent is known.
      await ctx.keep?.(tx, toOutput(claimed, token.secret));
      return { kind: "enrolled", ...claimed };
    });
    if (outcome.kind !== "enrolled") await limit("enroll.failed", ctx.ip);
    if (outcome.kind === "unknown key") throw unknownKey();
    if (outcome.kind === "refused") throw refuseKnownAgent(ctx, input, outcome.orgId);
    recordEnrolment(ctx, input, outcome);
    if (outcome.closed) relay().notifyClosed(outcome.closed);
    return toOutput(outcome, token.secret);
  },
});
