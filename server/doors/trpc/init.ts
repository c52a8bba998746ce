import { initTRPC, TRPCError } from "@trpc/server";
import { ZodError, z } from "zod";
import { recordDenied } from "@/server/doors/http/denied";
import { once, repeaterOf } from "@/server/doors/http/idempotency";
import { toAppError, toProblem } from "@/server/doors/http/problem";
import type { Ctx } from "@/server/ground/context";
import { AppError, ERROR_CODES, type ErrorCode, invalidInput } from "@/server/ground/errors";
import { plainNumbers } from "@/server/ground/exact-json";
import { admit, type Operation, perform, permit } from "@/server/ground/operation";
import type { Permission } from "@/server/ground/permissions";
import { keysOf } from "@/server/ground/records";
import { repairJson } from "@/server/ground/text";
import { ANONYMOUS } from "@/server/identity/auth/authenticate";

/**
 * Wraps messages for readers that request the next before awaiting the last, like tRPC's ping, so that an error in
 * between is not an unhandled rejection.
 */
const attended = <T>(messages: AsyncGenerator<T>): AsyncIterableIterator<T, void> => ({
  [Symbol.asyncIterator]() {
    return this;
  },
  next() {
    const next = messages.next();
    next.catch(() => {});
    return next;
  },
  return: () => messages.return(undefined),
});

/** Context of a procedure: the caller, or null without a session; from is set for browser requests. */
export type TrpcContext = {
  caller: Ctx | null;
  requestId: string;
  from?: Pick<Ctx, "ip" | "userAgent">;
  idempotencyKey?: string | null;
};

const anonymous = ({ from, requestId }: TrpcContext): Ctx => ({
  ...ANONYMOUS,
  ip: null,
  userAgent: null,
  ...from,
  requestId,
  now: () => new Date(),
});

/** Required permission of a procedure, readable by the test that probes all procedures. */
export type ProcedureMeta = { permission?: Permission };

/** Interval of comment lines on a silent stream, and the browser's timeout before reconnecting. */
const STREAM_PING_MS = 15_000;
const STREAM_DEAD_MS = 40_000;

const CODE_OF = new Map<string, ErrorCode>(keysOf(ERROR_CODES).map((code) => [ERROR_CODES[code].trpc, code]));

/**
 * Converts an error of the door to one of the contract's: a field's, a verb's, or tRPC's own (no such procedure, wrong
 * method).
 */
function toKnown({ code, message, cause }: TRPCError, requestId: string): AppError {
  if (cause instanceof ZodError) return invalidInput(cause);
  if (cause instanceof AppError || code === "INTERNAL_SERVER_ERROR")
    return toAppError(cause ?? new Error(message), requestId);
  return new AppError(CODE_OF.get(code) ?? "validation_failed", message);
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
      const known = toKnown(error, requestId);
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

/** Converts any thrown value to the tRPC code of its contract error. */
export function toTrpcError(cause: unknown, requestId: string): TRPCError {
  const known = toAppError(cause, requestId);
  return new TRPCError({
    code: ERROR_CODES[known.code].trpc,
    message: known.message,
    // The known error instead of the thrown one, which is logged already.
    cause: known,
  });
}

/** Maps errors of verbs to tRPC codes in one place. */
const mapErrors = t.middleware(async ({ next, ctx, path, meta }) => {
  const result = await next();
  if (result.ok || result.error.cause instanceof ZodError) return result;
  const cause = result.error.cause ?? result.error;
  if (ctx.caller) recordDenied(ctx.caller, cause, { request: path, permission: meta?.permission });
  if (cause instanceof TRPCError) return result;
  throw toTrpcError(cause, ctx.requestId);
});

/** Allowed callers: any visitor, or a signed-in person. */
type ProcedureAuth = "none" | "user";

/** Checks the caller; the operation itself narrows the caller to the input's organization. */
function guarded<I extends z.ZodType, R>(
  { permission, account, limits, input }: Operation<I, R>,
  auth: ProcedureAuth = "user",
) {
  return t.procedure
    .use(mapErrors)
    .meta(permission ? { permission } : {})
    .use(async ({ ctx, next }) => {
      const caller = auth === "none" ? anonymous(ctx) : ctx.caller;
      if (!caller) throw new AppError("unauthenticated");
      admit(caller, { permission, account });
      await limits?.(caller);
      return next({ ctx: { caller } });
    })
    .input(input);
}

/** Runs an operation for the caller admitted by guarded(), on its parsed input. */
const resolver =
  <I extends z.ZodType, R>(operation: Operation<I, R>) =>
  async ({ ctx, input }: { ctx: { caller: Ctx }; input: unknown }): Promise<R> =>
    plainNumbers(await perform(operation, ctx.caller, input as z.output<I>));

/** Repairs a read's input for the database, because it is compared, not stored. */
const comparable = <I extends z.ZodType, R>(operation: Operation<I, R>): Operation<I, R> => ({
  ...operation,
  input: z.preprocess(repairJson, operation.input) as unknown as I,
});

/** A reading operation as a procedure. */
export const query = <I extends z.ZodType, R>(operation: Operation<I, R>, auth?: ProcedureAuth) =>
  guarded(comparable(operation), auth).query(resolver(operation));

type Written = { ctx: TrpcContext & { caller: Ctx }; path: string; input: unknown };

/** Runs a mutation once per Idempotency-Key and procedure: a batch has one key for all. */
async function onceFor<R>({ ctx, path, input }: Written, run: () => Promise<R>): Promise<R> {
  const { caller, idempotencyKey: key } = ctx;
  if (!key || caller.actor.type === "system") return run();
  const request = `${path} ${JSON.stringify(input)}`;
  const answer = await once({ caller: `${repeaterOf(caller, null)} ${path}`, key, request }, async () => ({
    status: 200,
    headers: {},
    body: JSON.stringify({ result: await run() }),
  }));
  const kept: { result: R } = JSON.parse(answer instanceof Response ? await answer.text() : (answer.body ?? "{}"));
  return kept.result;
}

/** A writing operation as a procedure. */
export const mutation = <I extends z.ZodType, R>(operation: Operation<I, R>, auth?: ProcedureAuth) =>
  guarded(operation, auth).mutation((call) => {
    permit(operation, call.ctx.caller, call.input as z.output<I>);
    return onceFor(call, () => resolver(operation)(call));
  });

type Subscribed<I extends z.ZodType> = { caller: Ctx; input: z.output<I>; path: string };

/** Messages of an operation, with errors converted to tRPC's. */
async function* messagesOf<I extends z.ZodType, M>(
  operation: Operation<I, AsyncGenerator<M>>,
  { caller, input, path }: Subscribed<I>,
): AsyncGenerator<M> {
  try {
    const messages = await perform(operation, caller, input).catch((error: unknown) => {
      recordDenied(caller, error, { request: path, permission: operation.permission });
      throw error;
    });
    for await (const message of messages) yield plainNumbers(message);
  } catch (error) {
    throw toTrpcError(error, caller.requestId);
  }
}

/** An operation with an open answer: messages one after another, until either side ends it. */
export const subscription = <I extends z.ZodType, M>(operation: Operation<I, AsyncGenerator<M>>) =>
  guarded(comparable(operation)).subscription(({ ctx, input, signal, path }) => {
    const caller = { ...ctx.caller, ...(signal && { signal }) };
    return attended(messagesOf(operation, { caller, input: input as z.output<I>, path }));
  });
