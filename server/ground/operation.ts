import type { z } from "zod";
import type { Ctx } from "./context";
import { AppError } from "./errors";
import { inCallerLimit } from "./limits/concurrency";
import type { Permission } from "./permissions";
import { requireRecentProof } from "./recent-proof";
import { narrow, reachesAll, requirePermission } from "./scope";

/** Results of run: a value of a strict schema, nothing, or a stream. */
type Output<R = unknown> = z.ZodType<R> | "empty" | "stream";

/** A verb with its facts for the doors: REST uses route(), tRPC query() or mutation(). */
export type Operation<I extends z.ZodType = z.ZodType, R = unknown> = {
  /** Permission that callers need; if omitted, any admitted caller may use the operation. */
  permission?: Permission;
  /** For the caller's own account: also open to a person who must still set up a second factor. */
  account?: true;
  /** Requires a recent identity check in a browser session, for some or all inputs. */
  stepUp?(input: z.output<I>): boolean;
  /**
   * Counts attempts by strangers, before anything is stored, including its Idempotency-Key.
   * @throws AppError rate_limited
   */
  limits?(ctx: Ctx): Promise<void>;
  /** Merged members of path, query and body over REST, or the procedure's input; validated at the door only. */
  input: I;
  output: Output<R>;
  /**
   * The operation waits for something else than the database (a device, a shared run, the batch writer, a witness, the
   * mail server, an upload) and does not count in the caller's limit; or it acquires a slot first.
   */
  waits?: true;
  /**
   * Part of the answer covered by its ETag, on reads and writes of settings. Writes accept If-Match, and call
   * `requireMatch` with the same part of what they lock.
   */
  version?(result: NoInfer<R>): unknown;
  run(ctx: Ctx, input: z.output<I>): Promise<R>;
};

/** Declares a verb once for every door. */
export const operation = <I extends z.ZodType, R>(declared: Operation<I, R>): Operation<I, R> => declared;

/** Narrows the caller to the organizations in an input's orgId, if any. */
function narrowTo(ctx: Ctx, input: unknown): Ctx {
  const orgId = typeof input === "object" && input !== null && "orgId" in input ? input.orgId : undefined;
  return typeof orgId === "string" || Array.isArray(orgId) ? narrow(ctx, orgId) : ctx;
}

type Admission = { permission?: Permission | undefined; account?: true | undefined };

/**
 * Admits a caller.
 * @throws AppError forbidden without the permission, or for a person who must set up a second factor first.
 */
export function admit(ctx: Ctx, { permission, account }: Admission): void {
  if (ctx.mustEnroll && !account)
    throw new AppError("forbidden", "Your account requires two-factor sign-in. Set it up in your account first.");
  if (permission) requirePermission(ctx, permission);
}

/** True if a new request of the caller would still be admitted with the same reach. */
export async function isStillAdmitted(ctx: Ctx, admission: Admission): Promise<boolean> {
  if (!ctx.recheck) return true;
  try {
    const now = await ctx.recheck();
    admit(now, admission);
    return reachesAll(now.scope, ctx.scope);
  } catch (error) {
    // A database failure says nothing about the caller.
    return !(error instanceof AppError);
  }
}

/**
 * Checks a caller for an operation and input: identity checked recently if required, and reach narrowed to the
 * organizations in the input.
 * @throws AppError step_up_required; forbidden when one of them lies outside the caller's reach
 */
export function permit<I extends z.ZodType, R>(operation: Operation<I, R>, ctx: Ctx, input: z.output<I>): Ctx {
  if (operation.stepUp?.(input)) requireRecentProof(ctx, "browser");
  return narrowTo(ctx, input);
}

/**
 * Runs an operation on validated input for an admitted caller, within the caller's limit.
 * @throws AppError as permit does, rate_limited when too many of the caller's requests wait already, and the errors of
 * the operation
 */
export async function perform<I extends z.ZodType, R>(
  operation: Operation<I, R>,
  ctx: Ctx,
  input: z.output<I>,
): Promise<R> {
  const permitted = permit(operation, ctx, input);
  const run = () => operation.run(permitted, input);
  return operation.waits ? run() : inCallerLimit(ctx, run);
}
