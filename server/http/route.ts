import type { z } from "zod";
import { authenticate } from "@/server/auth/authenticate";
import { requireSameOrigin } from "@/server/auth/origin";
import type { Permission } from "@/server/auth/permissions";
import { narrow, requirePermission } from "@/server/auth/scope";
import type { Ctx } from "@/server/context";
import { env } from "@/server/env";
import { AppError, type ErrorCode, type FieldError } from "@/server/errors";
import { type Answer, setHeader, toResponse } from "./answer";
import { readJson } from "./body";
import { clientIp } from "./client-ip";
import { problemAnswer } from "./problem";

/** Who may call: nobody in particular, a person or program, or the agent that the path's :id names. */
export type RouteAuth = "none" | "user" | "agent";

export type RouteSpec<I extends z.ZodType, O extends z.ZodType> = {
  /** One sentence for the API document. */
  summary: string;
  auth: RouteAuth;
  permission?: Permission;
  /** What the verb takes: path parameters, query parameters and the JSON body's members, in one object. */
  input: I;
  /** Shape of the answer; "stream" where run answers a Response of its own. */
  output: O | "stream" | "empty";
  /** Media types of a streamed answer, for the API document. */
  produces?: string[];
  /** Media type of a body that is not JSON, for the API document. */
  consumes?: string;
  /** Errors of the contract beyond those that every route may answer, for the API document. */
  errors?: ErrorCode[];
  /** Status of success; 200 unless told. */
  status?: number;
  /** Path of a list inside the body that stays one (default: members of the body are merged into the input). */
  body?: "json" | "none" | "optional" | "stream";
  /** bytes is the body as it arrives, for a route with body "stream": unread, undecoded and without a limit of ours. */
  run: (ctx: Ctx, input: z.output<I>, bytes: AsyncIterable<Uint8Array>) => Promise<z.input<O> | Response | undefined>;
};

/** A handler as Next calls it; the front takes `answer`, the same without the cost of a Response. */
export type RouteHandler = ((request: Request, context?: RouteContext) => Promise<Response>) & {
  spec: RouteSpec<z.ZodType, z.ZodType>;
  answer?: (request: Request, context?: RouteContext) => Promise<Answer | Response>;
};
export type RouteContext = { params: Promise<Record<string, string | string[]>> };

/** The header in which the front tells its own handlers the socket's address; it overwrites what a client sends. */
export const PEER_HEADER = "x-trailmark-peer";

const MAX_FIELD_ERRORS = 50;
/** Characters of a field's name that an answer repeats. */
const MAX_PATH = 300;

/** Every offending field by name: of an unknown member its own, of the body as a whole "body". */
const toFieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues
    .flatMap((issue): FieldError[] => {
      const path = issue.path.map(String);
      if (issue.code === "unrecognized_keys")
        return issue.keys.map((key) => ({ path: [...path, key].join("."), message: "is not a known field" }));
      return [{ path: path.join(".") || "body", message: issue.message }];
    })
    .slice(0, MAX_FIELD_ERRORS)
    .map(({ path, message }) => ({ path: path.slice(0, MAX_PATH) || "body", message }));

/** @throws AppError validation_failed naming every offending field. */
export function parseInput<I extends z.ZodType>(schema: I, value: unknown): z.output<I> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = toFieldErrors(parsed.error);
  const first = errors[0];
  throw new AppError("validation_failed", first ? `${first.path}: ${first.message}` : undefined, { errors });
}

async function gatherInput(
  request: Request,
  context: RouteContext | undefined,
  body: "json" | "none",
): Promise<unknown> {
  const input: Record<string, unknown> = {};
  const question = request.url.indexOf("?");
  if (question >= 0)
    for (const [key, value] of new URLSearchParams(request.url.slice(question))) {
      if (Object.hasOwn(input, key))
        throw new AppError("validation_failed", `${key}: is given twice`, {
          errors: [{ path: key, message: "is given twice" }],
        });
      input[key] = value;
    }
  if (body === "json") {
    const json = await readJson(request);
    if (typeof json !== "object" || json === null || Array.isArray(json))
      throw new AppError("validation_failed", "body: must be a JSON object", {
        errors: [{ path: "body", message: "must be a JSON object" }],
      });
    Object.assign(input, json);
  }
  return Object.assign(input, await context?.params);
}

const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

/** Whether a request that may come without a body has one. */
function hasBody({ headers }: Request): boolean {
  const length = headers.get("content-length");
  if (length !== null) return Number(length) > 0;
  return headers.get("transfer-encoding") !== null || headers.get("content-type") !== null;
}

/** A wrong path parameter (a malformed UUID) is a validation failure like any other. */
async function answer<I extends z.ZodType, O extends z.ZodType>(
  spec: RouteSpec<I, O>,
  request: Request,
  context: RouteContext | undefined,
  requestId: string,
): Promise<Answer | Response> {
  const ip = clientIp(request.headers, request.headers.get(PEER_HEADER), env().TRUST_PROXY_HEADERS);
  const params = (await context?.params) ?? {};
  const caller = await authenticate(request, {
    auth: spec.auth,
    agentId: typeof params.id === "string" ? params.id : undefined,
    ip,
  });
  let ctx: Ctx = {
    ...caller,
    ip,
    userAgent: request.headers.get("user-agent"),
    requestId,
    now: () => new Date(),
    // Made only for those who look at it.
    get signal() {
      return request.signal;
    },
  };
  requireSameOrigin(request, caller.viaCookie);
  if (spec.permission) requirePermission(ctx, spec.permission);
  const takesBody =
    (spec.body === "optional" ? (hasBody(request) ? "json" : "none") : spec.body === "stream" ? "none" : spec.body) ??
    (request.method === "GET" || request.method === "HEAD" || request.method === "DELETE" ? "none" : "json");
  const input = parseInput(spec.input, await gatherInput(request, context, takesBody));
  const orgId = (input as { orgId?: unknown } | undefined)?.orgId;
  if (spec.auth === "user" && typeof orgId === "string") ctx = narrow(ctx, orgId);
  const result = await spec.run(ctx, input, (request.body as AsyncIterable<Uint8Array> | null) ?? NOTHING);
  if (result instanceof Response) return result;
  if (spec.output === "empty") return { status: spec.status ?? 204, headers: {}, body: null };
  return {
    status: spec.status ?? 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
    body: JSON.stringify(result),
  };
}

/**
 * A REST route as a declaration: who may call, what comes in, what goes out, which verb runs. Authentication,
 * permission, validation, tenancy, limits and errors are the same for every route, here and nowhere else.
 */
export function route<I extends z.ZodType, O extends z.ZodType>(spec: RouteSpec<I, O>): RouteHandler {
  const give = async (request: Request, context?: RouteContext): Promise<Answer | Response> => {
    const requestId = crypto.randomUUID();
    let given: Answer | Response;
    try {
      given = await answer(spec, request, context, requestId);
    } catch (error) {
      given = problemAnswer(error, requestId);
    }
    setHeader(given, "X-Request-Id", requestId);
    return given;
  };
  const handler = async (request: Request, context?: RouteContext): Promise<Response> => {
    const given = await give(request, context);
    return given instanceof Response ? given : toResponse(given);
  };
  return Object.assign(handler, { spec: spec as unknown as RouteSpec<z.ZodType, z.ZodType>, answer: give });
}
