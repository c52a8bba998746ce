import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { PERMISSION_LABEL, type Permission } from "@/server/ground/permissions";

/** What was asked for when it was denied: by which route or procedure, and the permission that it needs. */
export type DeniedRequest = { request: string; permission?: Permission | undefined };

/** Repeats within so long are one entry: repeated requests do not fill the log. */
const FOLD_MS = 60_000;
const MAX_REQUEST = 200;
/** Different requests, and different reasons, that one entry names. */
const MAX_NAMED = 10;

/** What a caller was denied within an open minute: of one permission, or of what has none. */
type Denials = {
  ctx: Ctx;
  permission: Permission | undefined;
  times: number;
  requests: Set<string>;
  reasons: Set<string>;
};
const open = new Map<string, Denials & { timer: NodeJS.Timeout }>();

/** What the permission lets one do, within the sentence: "was denied permission to manage users". */
const purposeOf = (permission: Permission): string =>
  PERMISSION_LABEL[permission].replace(/^./, (letter) => letter.toLowerCase());

function write({ ctx, permission, times, requests, reasons }: Denials): void {
  record(ctx, {
    action: "user.permission.denied",
    orgId: ctx.homeOrgId,
    resourceType: "permission",
    resourceName: permission ? purposeOf(permission) : null,
    details: { ...(permission && { permission }), times, requests: [...requests] },
    result: "denied",
    errorMessage: [...reasons].join(" "),
  });
}

function add(denials: Denials, request: string, reason: string): void {
  denials.times++;
  if (denials.requests.size < MAX_NAMED) denials.requests.add(request);
  if (denials.reasons.size < MAX_NAMED) denials.reasons.add(reason);
}

const none = () => ({ times: 0, requests: new Set<string>(), reasons: new Set<string>() });

/** Counts what comes within the next minute. */
function watch(key: string, { ctx, permission }: Pick<Denials, "ctx" | "permission">): void {
  open.set(key, { ctx, permission, ...none(), timer: setTimeout(() => endMinute(key), FOLD_MS).unref() });
}

/** What was repeated within the minute is one entry, and another minute begins; a quiet one ends it. */
function endMinute(key: string): void {
  const denials = open.get(key);
  open.delete(key);
  if (!denials || denials.times === 0) return;
  write(denials);
  watch(key, denials);
}

/** Writes down what was repeated up to now, before recording ends. */
export function closeDenials(): void {
  for (const denials of open.values()) {
    clearTimeout(denials.timer);
    if (denials.times > 0) write(denials);
  }
  open.clear();
}

/**
 * Records that a person or a program was refused something: a permission that they lack, an organization out of their
 * reach, what a verb keeps to others. The first is an entry at once; repeats by the same caller are one more a minute, for
 * as long as they continue. A person who has yet to set up a second factor is sent to do so, which is no denial.
 * @param error what was thrown; anything but the contract's `forbidden` is passed over
 */
export function recordDenied(ctx: Ctx, error: unknown, { request, permission }: DeniedRequest): void {
  if (!(error instanceof AppError) || error.code !== "forbidden" || ctx.mustEnroll) return;
  if (ctx.actor.type !== "user" && ctx.actor.type !== "api_key") return;
  const lacked = permission && !ctx.permissions.has(permission) ? permission : undefined;
  if (permission === "audit:write" && !lacked) return; // Of a batch of events that is refused nothing is stored.
  const key = `${ctx.actor.id} ${lacked ?? ""}`;
  const repeated = open.get(key);
  const denials = repeated ?? { ctx, permission: lacked, ...none() };
  add(denials, request.slice(0, MAX_REQUEST), error.message);
  if (repeated) repeated.ctx = ctx;
  else {
    write(denials);
    watch(key, denials);
  }
}
