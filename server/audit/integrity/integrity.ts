import { tenant } from "@/db/client";
import { verifyChain } from "@/server/audit/chain/verify";
import { listCheckpoints as readNewest } from "@/server/audit/checkpoints/note-store";
import { originOfOrg, ownKeys } from "@/server/audit/checkpoints/sign";
import { checkpointOf } from "@/server/audit/checkpoints/stored-note";
import { formatVerifierKey, toBase64 } from "@/server/audit/tree/signed-note";
import type { Ctx } from "@/server/context";
import { invalid } from "@/server/errors";
import { operation } from "@/server/operation";
import { narrow } from "@/server/scope";
import { clearAlarm, raiseAlarm } from "./alarm";
import { signCheckpoint } from "./checkpoints";
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

/**
 * Verifies the chain of one organization, whole or between two timestamps.
 * A break raises the alarm; a whole clean chain clears it.
 */
export const verifyIntegrity = operation({
  permission: "audit:read",
  input: verifyInput,
  output: integrityOutput,
  async run(ctx, input) {
    const orgId = oneOrganization(ctx, input.orgId);
    const { from, to, runId } = input;
    const found = await watched(ctx, runId, (onProgress) =>
      verifyChain(ctx, { orgId, from, to, signal: ctx.signal, ...(onProgress && { onProgress }) }),
    );
    const { status, rowsChecked, firstSeq, lastSeq, prunedPrefix, head, breaks } = found;
    const whole = !from && !to;
    await keepVerification(found, whole ? "whole" : "range", ctx.now());
    if (status === "broken") await raiseAlarm({ orgId, at: ctx.now().toISOString(), source: "on demand", breaks });
    else if (whole) await clearAlarm(orgId);
    return { orgId, status, rowsChecked, firstSeq, lastSeq, prunedPrefix, head, breaks };
  },
});

const DEFAULT_CHECKPOINTS = 100;

/** The newest checkpoints of one organization, newest first, with the keys that check them. */
export const listCheckpoints = operation({
  permission: "audit:read",
  input: checkpointsInput,
  output: checkpointsOutput,
  async run(ctx, input) {
    const orgId = oneOrganization(ctx, input.orgId);
    if (input.sign) await signCheckpoint(orgId, ctx.now());
    const { scope } = narrow(ctx, orgId);
    const notes = await tenant(scope, (tx) => readNewest(tx, orgId, input.limit ?? DEFAULT_CHECKPOINTS));
    return {
      orgId,
      origin: originOfOrg(orgId),
      publicKeys: ownKeys(orgId).map(formatVerifierKey),
      data: notes.map(({ size, signedAt, note }) => ({
        size,
        root: toBase64(checkpointOf({ note }).root),
        signedAt,
        note,
      })),
    };
  },
});
