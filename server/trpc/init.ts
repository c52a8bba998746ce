import { initTRPC, TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import type { Permission } from "@/server/auth/permissions";
import { narrow, requirePermission } from "@/server/auth/scope";
import type { Ctx } from "@/server/context";
import { AppError, ERROR_CODES, type ErrorCode, type FieldError } from "@/server/errors";
import { toAppError, toProblem } from "@/server/http/problem";

/** What a procedure gets: the caller, or null where nobody is signed in; from is known where a browser asks. */
export type TrpcContext = {
  caller: Ctx | null;
  requestId: string;
  from?: Pick<Ctx, "ip" | "userAgent">;
  /** Finds out again who is calling: for answers that stay open. */
  authenticate?: () => Promise<Ctx>;
};

/** What a procedure asks of its caller, readable by the test that probes every procedure. */
export type ProcedureMeta = { permission?: Permission };

/** Lines that say nothing on a silent stream, and how long a browser waits for one before it connects anew. */
const STREAM_PING_MS = 15_000;
const STREAM_DEAD_MS = 40_000;

const TRPC_CODES: Partial<Record<ErrorCode, TRPCError["code"]>> = {
  validation_failed: "BAD_REQUEST",
  unauthenticated: "UNAUTHORIZED",
  forbidden: "FORBIDDEN",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
  device_offline: "CONFLICT",
  payload_too_large: "PAYLOAD_TOO_LARGE",
  rate_limited: "TOO_MANY_REQUESTS",
  unavailable: "SERVICE_UNAVAILABLE",
  agent_timeout: "GATEWAY_TIMEOUT",
  agent_bad_response: "BAD_GATEWAY",
  agent_disconnected: "BAD_GATEWAY",
};

function fieldErrors(error: ZodError): FieldError[] {
  return error.issues.map((i) => ({ path: i.path.join("."), message: i.message }));
}

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
      const known =
        cause instanceof ZodError
          ? new AppError("validation_failed", undefined, { errors: fieldErrors(cause) })
          : toAppError(cause ?? error, requestId);
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

function toTrpcError(cause: unknown, requestId: string): TRPCError {
  const known = toAppError(cause, requestId);
  return new TRPCError({
    code: TRPC_CODES[known.code] ?? "INTERNAL_SERVER_ERROR",
    message: known.message,
    cause: cause as Error,
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

/** Open to everybody: sign-in and first-run pages. */
export const publicProcedure = t.procedure.use(mapErrors);

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
