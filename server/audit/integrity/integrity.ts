import { tenant } from "@/db/client";
import { listCheckpoints as readNewest } from "@/server/audit/checkpoints/note-store";
import { originOfOrg, ownKeys } from "@/server/audit/checkpoints/sign";
import { checkpointOf } from "@/server/audit/checkpoints/stored-note";
import { cosignersOf } from "@/server/audit/checkpoints/witnessed";
import { formatVerifierKey, toBase64 } from "@/server/audit/tree/signed-note";
import { witnessPolicy } from "@/server/audit/witnesses/policy-file";
import type { Ctx } from "@/server/context";
import { invalid } from "@/server/errors";
import { acquireSlot } from "@/server/limits/slots";
import { operation } from "@/server/operation";
import { narrow } from "@/server/scope";
import { clearAlarm, raiseAlarm } from "./alarm";
import { between } from "./between";
import { signCheckpoint } from "./checkpoints";
import type { Judged } from "./judge";
import { VERIFY_SLOTS, verifyWhole } from "./runs";
import { checkpointsInput, checkpointsOutput, integrityOutput, verifyInput } from "./schema";
import { keepVerification } from "./verifications";
import { watched } from "./verify-progress";

/** The one organization that is meant: the given one, the caller's only one, or a partner's home. */
export function oneOrganization(ctx: Ctx, orgId: string | undefined): string {
  const own = ctx.scope.kind !== "system" && ctx.scope.orgIds.length === 1 ? ctx.scope.orgIds[0] : ctx.homeOrgId;
  const found = orgId ?? own;
  if (!found) throw invalid("orgId", "is needed: a chain belongs to one organization");
  return found;
}

/** What was already done with a verdict that several share. */
const kept = new WeakMap<Judged, Promise<void>>();

/** Stores the verdict over a whole chain, and raises or clears the alarm. */
async function keepWhole(found: Judged, now: Date): Promise<void> {
  await keepVerification(found, "whole", { ranAt: now });
  if (found.status === "intact" || found.status === "empty") await clearAlarm(found.orgId);
}

async function raise({ orgId, status, breaks }: Judged, now: Date): Promise<void> {
  if (status === "broken") await raiseAlarm({ orgId, at: now.toISOString(), source: "on demand", breaks });
}

const once = (found: Judged, act: () => Promise<void>): Promise<void> => {
  const done = kept.get(found) ?? act();
  kept.set(found, done);
  return done;
};

/**
 * Verifies the chain of one organization, whole or between two timestamps. Either reads the whole chain, once for all
 * who ask at the time. A break raises the alarm; a whole chain found intact clears it.
 * @throws AppError rate_limited when the caller, or this process, has too many waiting
 */
export const verifyIntegrity = operation({
  permission: "audit:read",
  input: verifyInput,
  output: integrityOutput,
  waits: true,
  async run(ctx, input) {
    const orgId = oneOrganization(ctx, input.orgId);
    const { from, to, runId } = input;
    const release = acquireSlot(ctx.actor, VERIFY_SLOTS);
    try {
      const whole = await watched(ctx, runId, (onProgress) => verifyWhole(orgId, { signal: ctx.signal, onProgress }));
      const now = ctx.now();
      const isRange = Boolean(from || to);
      const found = isRange ? await between(ctx.scope, whole, { from, to }) : whole;
      if (isRange) await keepVerification(found, "range", { ranAt: now });
      else await once(whole, () => keepWhole(whole, now));
      await raise(found, now);
      const { status, reasons, covered, rowsChecked, firstSeq, lastSeq, prunedPrefix, head, breaks } = found;
      const rowsRead = whole.rowsChecked;
      return { orgId, status, reasons, covered, rowsRead, rowsChecked, firstSeq, lastSeq, prunedPrefix, head, breaks };
    } finally {
      release();
    }
  },
});

const DEFAULT_CHECKPOINTS = 100;

/** The newest checkpoints of one organization, newest first, with the keys that check them. */
export const listCheckpoints = operation({
  permission: "audit:read",
  input: checkpointsInput,
  output: checkpointsOutput,
  waits: true,
  async run(ctx, input) {
    const orgId = oneOrganization(ctx, input.orgId);
    if (input.sign) await signCheckpoint(orgId, ctx.now());
    const { scope } = narrow(ctx, orgId);
    const notes = await tenant(scope, (tx) => readNewest(tx, orgId, input.limit ?? DEFAULT_CHECKPOINTS));
    return {
      orgId,
      origin: originOfOrg(orgId),
      publicKeys: ownKeys(orgId).map(formatVerifierKey),
      witnesses: (witnessPolicy()?.witnesses ?? []).map(({ name }) => name),
      data: notes.map(({ size, signedAt, note }) => ({
        size,
        root: toBase64(checkpointOf({ note }).root),
        signedAt,
        note,
        witnesses: cosignersOf(note),
      })),
    };
  },
});
