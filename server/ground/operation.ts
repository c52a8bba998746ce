import type { z } from "zod";
import type { Ctx } from "./context";
import { AppError } from "./errors";
import { inCallerLimit } from "./limits/concurrency";
import type { Permission } from "./permissions";
import { requireRecentProof } from "./recent-proof";
import { narrow, reachesAll, requirePermission } from "./scope";

/** Answers of run: a value of a strict schema, nothing, or a stream that it writes itself. */
type Output<R = unknown> = z.ZodType<R> | "empty" | "stream";

/** A verb with the facts for its doors: REST takes it with route(), tRPC with query() or mutation(). */
export type Operation<I extends z.ZodType = z.ZodType, R = unknown> = {
  /** Without one, any caller whom the door admits. */
  permission?: Permission;
  /** Of the caller's own account: open also to a person who has still to set up a second factor. */
  account?: true;
  /** Asks a person signed in through a browser for a recent proof of who they are; for some inputs, or for all. */
  stepUp?(input: z.output<I>): boolean;
  /**
   * Counts the attempt, where strangers may make it: before anything is stored of it, its Idempotency-Key included.
   * @throws AppError rate_limited
   */
  limits?(ctx: Ctx): Promise<void>;
  /** Path, query and body members over REST, or the procedure's input: one object, validated at the door alone. */
  input: I;
  output: Output<R>;
  /**
   * Waits for something other than the database (a device, a shared run, the batch writer, a witness, the mail server, an
   * upload): is not counted among what its caller has running, which would be idle meanwhile. Or acquires a slot first.
   */
  waits?: true;
  /**
   * What of the answer its ETag is of, on reads and writes of settings. Its writes take If-Match, and call `requireMatch` with
   * the same of what they lock.
   */
  version?(result: NoInfer<R>): unknown;
  run(ctx: Ctx, input: z.output<I>): Promise<R>;
};

/** Declares a verb once for every door. */
export const operation = <I extends z.ZodType, R>(declared: Operation<I, R>): Operation<I, R> => declared;

/** The caller cut down to the organizations that an input names as orgId, where it names any. */
function narrowTo(ctx: Ctx, input: unknown): Ctx {
  const orgId = typeof input === "object" && input !== null && "orgId" in input ? input.orgId : undefined;
  return typeof orgId === "string" || Array.isArray(orgId) ? narrow(ctx, orgId) : ctx;
}

type Admission = { permission?: Permission | undefined; account?: true | undefined };

/**
 * Lets a caller in.
 * @throws AppError forbidden without the permission, or for a person who must set up a second factor first.
 */
export function admit(ctx: Ctx, { permission, account }: Admission): void {
  if (ctx.mustEnroll && !account)
    throw new AppError("forbidden", "Your account requires two-factor sign-in. Set it up in your account first.");
  if (permission) requirePermission(ctx, permission);
}

/** Whether a caller would still be let in, and reach all that it reached, if it came now. */
export async function isStillAdmitted(ctx: Ctx, admission: Admission): Promise<boolean> {
  if (!ctx.recheck) return true;
  try {
    const now = await ctx.recheck();
    admit(now, admission);
    return reachesAll(now.scope, ctx.scope);
  } catch (error) {
    // A database that is away says nothing of the caller.
    return !(error instanceof AppError);
  }
}

/**
 * The caller as an operation takes it with an input: who they are was proven lately where it asks for that, and they reach
 * no more than the organizations that the input names.
 * @throws AppError step_up_required; forbidden when one of them lies outside the caller's reach
 */
export function permit<I extends z.ZodType, R>(operation: Operation<I, R>, ctx: Ctx, input: z.output<I>): Ctx {
  if (operation.stepUp?.(input)) requireRecentProof(ctx, "browser");
  return narrowTo(ctx, input);
}

/**
 * Runs an operation on validated input, for a caller whom the door has let in, within what that caller may have running.
 * @throws AppError as permit does, rate_limited when too much of the caller waits already, and what the operation throws
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
