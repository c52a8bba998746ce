import { Fold } from "@/server/audit/record/fold";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { includesPermission, PERMISSION_LABEL, type Permission } from "@/server/ground/permissions";

/** The denied request: its route or procedure, and the permission that it needs. */
export type DeniedRequest = { request: string; permission?: Permission | undefined };

const MAX_REQUEST = 200;
/** Different requests, and different reasons, that one entry names. */
const MAX_NAMED = 10;

/** What a caller was denied: of one permission, or of what has none. */
type Denials = {
  ctx: Ctx;
  permission: Permission | undefined;
  times: number;
  requests: string[];
  reasons: string[];
};

/** The permission within the sentence: "was denied permission to manage users". */
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
 * Records that a person or a program was refused something: a permission that they lack, an organization out of their
 * reach, what a verb keeps to others. The first is an entry at once; repeats by the same caller are one more a minute, for
 * as long as they continue. A person who has yet to set up a second factor is sent to do so, which is no denial.
 * @param error what was thrown; anything but the contract's `forbidden` is passed over
 */
export function recordDenied(ctx: Ctx, error: unknown, { request, permission }: DeniedRequest): void {
  if (!(error instanceof AppError) || error.code !== "forbidden" || ctx.mustEnroll) return;
  if (ctx.actor.type !== "user" && ctx.actor.type !== "api_key") return;
  const lacked = permission && !includesPermission(ctx.permissions, permission) ? permission : undefined;
  if (permission === "audit:write" && !lacked) return; // Of a batch of events that is refused nothing is stored.
  denials.add(`${ctx.actor.id} ${lacked ?? ""}`, {
    ctx,
    permission: lacked,
    times: 1,
    requests: [request.slice(0, MAX_REQUEST)],
    reasons: [error.message],
  });
}
