import type { z } from "zod";
import { requireAnswer } from "@/db/lookup";
import { revocable } from "@/server/ground/background/revocable";
import { callerChanges } from "@/server/ground/background/streams";
import { originOf } from "@/server/ground/client-ip";
import type { Ctx } from "@/server/ground/context";
import { AppError, type ErrorCode, invalid, invalidInput } from "@/server/ground/errors";
import { writeExact } from "@/server/ground/exact-json";
import { admit, isStillAdmitted, type Operation, perform, permit } from "@/server/ground/operation";
import { isObject } from "@/server/ground/records";
import { repairJson } from "@/server/ground/text";
import { etagOf, matchedBy } from "@/server/ground/version";
import { authenticate } from "@/server/identity/auth/authenticate";
import { requireSameOrigin } from "@/server/identity/auth/origin";
import { type Answer, toResponse } from "./answer";
import { bytesOf, hasBody, MAX_STRANGERS_BYTES, readJson } from "./body";
import { recordDenied } from "./denied";
import { idempotencyKeyOf, type KeepAnswer, once, repeaterOf, requestText } from "./idempotency";
import { answered } from "./problem";
import { queryOf, requireKnown } from "./query";

/** The request header of writes of settings. */
export const IF_MATCH = "If-Match";

/** The allowed callers: any client, a person or program, or the agent that the path's :id names. */
export type RouteAuth = "none" | "user" | "agent";

/** REST's additions to an operation. */
export type RouteOptions = {
  /** One sentence for the API document. */
  summary: string;
  /** A likely mistake of callers, in one sentence for the API document. */
  note?: string;
  auth: RouteAuth;
  /** Media types of a streamed answer, for the API document. */
  produces?: string[];
  /** Schema of a streamed answer where it is JSON, for the API document. */
  streams?: z.ZodType;
  /** Media type of a body that is not JSON, for the API document. */
  consumes?: string;
  /** Request headers that are members of the input, by the member's name. */
  headers?: Record<string, string>;
  /** A stream that may answer a range of itself with 206, for the API document. */
  partial?: true;
  /** Errors of the contract beyond those that every route may answer, for the API document. */
  errors?: ErrorCode[];
  /** Status of success; by default 200, or 204 without a body. */
  status?: number;
  /** The body's numbers are stored digit for digit; by default the input's schema reads them. */
  isExact?: true;
  /**
   * Sent again with the same Idempotency-Key it is answered the first answer. By default every POST that answers 201 or
   * 202 to a caller with a credential; without one, the input's member that proves the caller has to be named, and what
   * refuses one that is not good any more.
   */
  idempotent?: boolean | { provenBy: string; requireGood(proof: unknown): Promise<void> };
  /** By default json where the method has a body: its members and those of path and query are one input. */
  body?: "json" | "none" | "optional" | "stream";
};
export type RouteSpec = Operation & RouteOptions;
/** One operation of the API document. */
export type Endpoint = { method: string; path: string; spec: RouteSpec };

/** A handler by the web's types; the front takes `answer`, the same without the cost of a Response. */
export type RouteHandler = ((request: Request, context?: RouteContext) => Promise<Response>) & {
  spec: RouteSpec;
  answer?: (request: Request, context?: RouteContext) => Promise<Answer | Response>;
};
/** Names of a route file's handlers. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** True for what a route file exports under a method's name. */
export const isHandler = (value: unknown): value is RouteHandler => typeof value === "function";
/** One route file: its URL pattern in Next's notation and what it exports. */
export type RouteFile = { path: string; module: Record<string, unknown> };
export type RouteContext = { params: Promise<Record<string, string | string[]>> };

const BODILESS = new Set(["GET", "HEAD", "DELETE"]);

function takesJson({ body }: RouteSpec, request: Request): boolean {
  if (body === "optional") return hasBody(request);
  return body ? body === "json" : !BODILESS.has(request.method);
}

/** One request, its id for the log and the answer, and the path's parameters. */
type Call = { request: Request; requestId: string; params: Record<string, string | string[]> };

/** The body with what else was given; into the body, because copying one of half a million names takes longer than reading it. */
function fillUp(body: Record<string, unknown>, rest: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(rest)) if (!Object.hasOwn(body, name)) body[name] = value;
  return body;
}

/**
 * Query parameters, the JSON body's members, headers and path parameters in one object; the later names win. A
 * parameter given several times is a list, which only the schemas of lists accept; an unknown one is refused. Text of the address is repaired to
 * what the database can compare, so that no verb has to think of NUL.
 */
async function gatherInput(spec: RouteSpec, { request, params }: Call): Promise<Record<string, unknown>> {
  let input = queryOf(request.url);
  requireKnown(input, spec.input, [...Object.keys(params), ...Object.keys(spec.headers ?? {})]);
  if (takesJson(spec, request)) {
    const max = spec.auth === "none" ? MAX_STRANGERS_BYTES : undefined;
    const json = await readJson(request, { isExact: spec.isExact, max });
    if (!isObject(json)) throw invalid("body", "must be a JSON object");
    input = fillUp(json, input);
  }
  for (const [name, header] of Object.entries(spec.headers ?? {})) {
    const value = request.headers.get(header);
    if (value === null) delete input[name];
    else input[name] = value;
  }
  return Object.assign(input, repairJson(params));
}

/** The path of a request's address; what is in its query may be private. */
const pathOf = (url: string): string => new URL(url).pathname;

/** The caller, the address and the moment; a browser's cookie counts only from our own pages. */
async function toContext(spec: RouteSpec, call: Call, at = new Date()): Promise<Ctx> {
  const { auth, permission, body } = spec;
  const { request, params, requestId } = call;
  const agentId = typeof params.id === "string" ? params.id : undefined;
  const { viaCookie, ...caller } = await authenticate(request, {
    auth,
    agentId,
    records: permission === "audit:write",
    at,
  });
  requireSameOrigin(request, viaCookie);
  return {
    ...caller,
    ...originOf(request),
    requestId,
    now: () => new Date(),
    ...(auth === "user" && { recheck: () => toContext(spec, call, at) }),
    // Created only for those who read it.
    get signal() {
      return request.signal;
    },
    ifMatch: matchedBy(request.headers.get(IF_MATCH)),
    bytes: body === "stream" ? bytesOf(request) : undefined,
  };
}

/** Whether the door takes an Idempotency-Key. */
export const isIdempotent = (method: string, { idempotent, status, auth }: RouteSpec): boolean =>
  method === "POST" && Boolean(idempotent ?? (auth !== "none" && (status === 201 || status === 202)));

async function answer(spec: RouteSpec, call: Call): Promise<Answer | Response> {
  const { request } = call;
  const ctx = await toContext(spec, call);
  return answerFor(ctx, spec, call).catch((error: unknown) => {
    recordDenied(ctx, error, { request: `${request.method} ${pathOf(request.url)}`, permission: spec.permission });
    throw error;
  });
}

async function answerFor(ctx: Ctx, spec: RouteSpec, call: Call): Promise<Answer | Response> {
  const { request } = call;
  admit(ctx, spec);
  if (ctx.ifMatch && !spec.version && request.method !== "GET")
    throw new AppError("precondition_failed", "What this changes has no ETag.");
  const input = await gatherInput(spec, call);
  const parsed = spec.input.safeParse(input);
  if (!parsed.success) throw invalidInput(parsed.error);
  await spec.limits?.(ctx);
  // Callers with a credential were looked up within a time limit; requests of the others would wait for as long as the
  // database hangs.
  if (spec.auth === "none" && !BODILESS.has(request.method)) await requireAnswer();
  const key = isIdempotent(request.method, spec) ? idempotencyKeyOf(request) : null;
  if (key === null) return answerWith(spec, ctx, parsed.data);
  const run = (keep: KeepAnswer) =>
    answerWith(spec, { ...ctx, keep: (tx, result) => keep(tx, toAnswer(spec, result)) }, parsed.data);
  // An earlier answer is given to those alone who could have it now.
  permit(spec, ctx, parsed.data);
  const { provenBy, requireGood } = typeof spec.idempotent === "object" ? spec.idempotent : {};
  const proof = provenBy && input[provenBy];
  await requireGood?.(proof);
  return once({ caller: repeaterOf(ctx, proof), key, request: requestText(request, input) }, run);
}

function toAnswer({ output, status, version }: RouteSpec, result: unknown): Answer {
  if (output === "empty") return { status: status ?? 204, headers: {}, body: null };
  return {
    status: status ?? 200,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      ...(version && { ETag: etagOf(version(result)) }),
    },
    body: writeExact(JSON.stringify(result)),
  };
}

async function answerWith(spec: RouteSpec, ctx: Ctx, input: unknown): Promise<Answer | Response> {
  const since = callerChanges();
  const result = await perform(spec, ctx, input);
  if (result instanceof Response)
    return ctx.recheck ? revocable(result, { since, isStillAllowed: () => isStillAdmitted(ctx, spec) }) : result;
  return toAnswer(spec, result);
}

/** A route by what it says of itself in the API document, and what answers it. */
export function described(spec: RouteSpec, give: NonNullable<RouteHandler["answer"]>): RouteHandler {
  const handler = async (request: Request, context?: RouteContext): Promise<Response> => {
    const given = await give(request, context);
    return given instanceof Response ? given : toResponse(given);
  };
  return Object.assign(handler, { spec, answer: give });
}

/**
 * A REST route: an operation and what HTTP adds to it. Authentication, permission, validation, tenancy, limits and
 * errors are the same for every route, here and nowhere else.
 */
export function route<I extends z.ZodType, R>(operation: Operation<I, R>, options: RouteOptions): RouteHandler {
  const spec: RouteSpec = { ...operation, ...options };
  return described(spec, (request, { params }: Partial<RouteContext> = {}) =>
    answered(async (requestId) => answer(spec, { request, requestId, params: (await params) ?? {} })),
  );
}
