import { Fold } from "@/server/audit/record/fold";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { includesPermission, PERMISSION_LABEL, type Permission } from "@/server/ground/permissions";

/** A denied request: its route or procedure, and the required permission. */
export type DeniedRequest = { request: string; permission?: Permission | undefined };

const MAX_REQUEST = 200;
/** Distinct requests and reasons named in one entry. */
const MAX_NAMED = 10;

/** A caller's denials for one permission, or without one. */
type Denials = {
  ctx: Ctx;
  permission: Permission | undefined;
  times: number;
  requests: string[];
  reasons: string[];
};

/** Permission within the sentence: "was denied permission to manage users". */
const purposeOf = (permission: Permission): string =>
  PERMISSION_LABEL[permission].replace(/^./, (letter) => letter.toLowerCase());

function write({ ctx, permission, times, requests, reasons }: Denials): void {
  record(ctx, {
    action: "user.permission.denied",
    orgId: ctx.homeOrgId,
    resourceType: "permission",
    resourceName: permission ? purposeOf(permission) : null,
    details: { ...(permission && { permission }), times, requests },
    result: "denied",
    errorMessage: reasons.join(" "),
  });
}

const united = (before: string[], after: string[]) => [...new Set([...before, ...after])].slice(0, MAX_NAMED);

const denials = new Fold<Denials>(write, (before, after) => ({
  ...after,
  times: before.times + after.times,
  requests: united(before.requests, after.requests),
  reasons: united(before.reasons, after.reasons),
}));

/**
 * Records a refused person or program: a missing permission, an organization out of reach, or a verb's own rule. The
 * first is an entry at once; repeats by the same caller add one entry per minute while they last. Being sent to set up
 * a second factor is not a denial.
 * @param error the thrown error; only the contract's `forbidden` is recorded
 */
export function recordDenied(ctx: Ctx, error: unknown, { request, permission }: DeniedRequest): void {
  if (!(error instanceof AppError) || error.code !== "forbidden" || ctx.mustEnroll) return;
  if (ctx.actor.type !== "user" && ctx.actor.type !== "api_key") return;
  const lacked = permission && !includesPermission(ctx.permissions, permission) ? permission : undefined;
  if (permission === "audit:write" && !lacked) return; // A refused batch of events stores nothing.
  denials.add(`${ctx.actor.id} ${lacked ?? ""}`, {
    ctx,
    permission: lacked,
    times: 1,
    requests: [request.slice(0, MAX_REQUEST)],
    reasons: [error.message],
  });
}
