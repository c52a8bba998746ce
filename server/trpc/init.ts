import { initTRPC, TRPCError } from "@trpc/server";
import { ZodError, type z } from "zod";
import { ANONYMOUS } from "@/server/auth/authenticate";
import type { Permission } from "@/server/auth/permissions";
import type { Ctx } from "@/server/context";
import { AppError, ERROR_CODES, invalidInput } from "@/server/errors";
import { toAppError, toProblem } from "@/server/http/problem";
import { type Operation, perform } from "@/server/operation";
import { narrow, requirePermission } from "@/server/scope";

/** What a procedure gets: the caller, or null where nobody is signed in; from is known where a browser asks. */
export type TrpcContext = {
  caller: Ctx | null;
  requestId: string;
  from?: Pick<Ctx, "ip" | "userAgent">;
  /** Finds out again who is calling: for answers that stay open. */
  authenticate?: () => Promise<Ctx>;
};

const anonymous = ({ from, requestId }: TrpcContext): Ctx => ({
  ...ANONYMOUS,
  ip: null,
  userAgent: null,
  ...from,
  requestId,
  now: () => new Date(),
});

/** What a procedure asks of its caller, readable by the test that probes every procedure. */
export type ProcedureMeta = { permission?: Permission };

/** Comment lines on a silent stream, and how long a browser waits for one before it reconnects. */
const STREAM_PING_MS = 15_000;
const STREAM_DEAD_MS = 40_000;

const t = initTRPC
  .context<TrpcContext>()
  .meta<ProcedureMeta>()
  .create({
    sse: {
      ping: { enabled: true, intervalMs: STREAM_PING_MS },
      client: { reconnectAfterInactivityMs: STREAM_DEAD_MS },
    },
    errorFormatter({ shape, error, ctx }) {
      const requestId = ctx?.requestId ?? "";
      const cause = error.cause;
      const known = cause instanceof ZodError ? invalidInput(cause) : toAppError(cause ?? error, requestId);
      return {
        ...shape,
        message: known.message,
        data: {
          code: shape.data.code,
          httpStatus: ERROR_CODES[known.code].status,
          problem: toProblem(known, requestId),
        },
      };
    },
  });

export const router = t.router;
export const createCaller = t.createCallerFactory;

/** Whatever was thrown, under the tRPC code of its contract error. */
export function toTrpcError(cause: unknown, requestId: string): TRPCError {
  const known = toAppError(cause, requestId);
  return new TRPCError({
    code: ERROR_CODES[known.code].trpc,
    message: known.message,
    cause,
  });
}

/** Maps whatever a verb throws to a tRPC code once, so that neither verbs nor procedures catch. */
const mapErrors = t.middleware(async ({ next, ctx }) => {
  const result = await next();
  if (result.ok || result.error.cause instanceof ZodError) return result;
  const cause = result.error.cause ?? result.error;
  if (cause instanceof TRPCError) return result;
  throw toTrpcError(cause, ctx.requestId);
});

/** The same for what a stream throws once its procedure has answered. */
export async function* mapStreamErrors<T>(requestId: string, stream: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* stream;
  } catch (error) {
    throw toTrpcError(error, requestId);
  }
}

/** Who may call: whoever opens the page, or a signed-in person. */
type ProcedureAuth = "none" | "user";

/** The caller and what it needs; the operation itself narrows the caller to the input's organization. */
function guarded<I extends z.ZodType, R>({ permission, input }: Operation<I, R>, auth: ProcedureAuth = "user") {
  return t.procedure
    .use(mapErrors)
    .meta(permission ? { permission } : {})
    .use(({ ctx, next }) => {
      const caller = auth === "none" ? anonymous(ctx) : ctx.caller;
      if (!caller) throw new AppError("unauthenticated");
      if (permission) requirePermission(caller, permission);
      return next({ ctx: { caller } });
    })
    .input(input);
}

/** Runs an operation for the caller that guarded() let in, on the input that it has parsed. */
const resolver =
  <I extends z.ZodType, R>(operation: Operation<I, R>) =>
  ({ ctx, input }: { ctx: { caller: Ctx }; input: unknown }): Promise<R> =>
    perform(operation, ctx.caller, input as z.output<I>);

/** An operation that reads, as a procedure. */
export const query = <I extends z.ZodType, R>(operation: Operation<I, R>, auth?: ProcedureAuth) =>
  guarded(operation, auth).query(resolver(operation));

/** An operation that writes, as a procedure. */
export const mutation = <I extends z.ZodType, R>(operation: Operation<I, R>, auth?: ProcedureAuth) =>
  guarded(operation, auth).mutation(resolver(operation));

/** Open to everybody: sign-in and first-run pages. */
const publicProcedure = t.procedure.use(mapErrors);

/** A signed-in person; an input with an orgId narrows the caller's scope to that organization. */
const signedIn = publicProcedure.use(({ ctx, next }) => {
  if (!ctx.caller) throw new AppError("unauthenticated");
  return next({ ctx: { caller: ctx.caller, authenticate: ctx.authenticate, requestId: ctx.requestId } });
});

/** A procedure that needs one permission; without one, any signed-in person. */
export function procedure(permission?: Permission) {
  return signedIn.meta(permission ? { permission } : {}).use(async ({ ctx, next, getRawInput }) => {
    if (permission) requirePermission(ctx.caller, permission);
    const orgId = ((await getRawInput()) as { orgId?: unknown } | undefined)?.orgId;
    const narrowed = (caller: Ctx) => (typeof orgId === "string" && orgId ? narrow(caller, orgId) : caller);
    const recheck = async () => narrowed(await (ctx.authenticate?.() ?? ctx.caller));
    return next({ ctx: { caller: narrowed(ctx.caller), recheck, requestId: ctx.requestId } });
  });
}
