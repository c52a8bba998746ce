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

/** Request header for writes of settings. */
export const IF_MATCH = "If-Match";

/** Allowed callers: any client, a person or program, or the agent in the path's :id. */
export type RouteAuth = "none" | "user" | "agent";

/** REST's additions to an operation. */
export type RouteOptions = {
  summary: string;
  /** A likely mistake of callers, as a sentence for the API document. */
  note?: string;
  auth: RouteAuth;
  /** Media types of a streamed answer, for the API document. */
  produces?: string[];
  /** Schema of a streamed JSON answer, for the API document. */
  streams?: z.ZodType;
  /** Media type of a non-JSON body, for the API document. */
  consumes?: string;
  /** Request headers in the input, by member name. */
  headers?: Record<string, string>;
  /** A stream that may answer a range with 206, for the API document. */
  partial?: true;
  /** Errors beyond those of every route, for the API document. */
  errors?: ErrorCode[];
  /** Success status; by default 200, or 204 without a body. */
  status?: number;
  /** Stores numbers of the body digit for digit; by default the input's schema parses them. */
  isExact?: true;
  /**
   * Repeats with the same Idempotency-Key get the first answer. By default every POST that answers 201 or 202 to a
   * caller with a credential; without one, names the input member that proves the caller, and a check that the proof is
   * still valid.
   */
  idempotent?: boolean | { provenBy: string; requireGood(proof: unknown): Promise<void> };
  /** By default json if the method has a body; its members, path and query form one input. */
  body?: "json" | "none" | "optional" | "stream";
};
export type RouteSpec = Operation & RouteOptions;
export type Endpoint = { method: string; path: string; spec: RouteSpec };

/** A handler with web types; the front uses `answer` to avoid the cost of a Response. */
export type RouteHandler = ((request: Request, context?: RouteContext) => Promise<Response>) & {
  spec: RouteSpec;
  answer?: (request: Request, context?: RouteContext) => Promise<Answer | Response>;
};
/** Handler names in a route file. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** True for a handler exported by a route file. */
export const isHandler = (value: unknown): value is RouteHandler => typeof value === "function";
/** A route file: its URL pattern in Next's notation and its exports. */
export type RouteFile = { path: string; module: Record<string, unknown> };
export type RouteContext = { params: Promise<Record<string, string | string[]>> };

const BODILESS = new Set(["GET", "HEAD", "DELETE"]);

function takesJson({ body }: RouteSpec, request: Request): boolean {
  if (body === "optional") return hasBody(request);
  return body ? body === "json" : !BODILESS.has(request.method);
}

/** A request, its id for log and answer, and the path's parameters. */
type Call = { request: Request; requestId: string; params: Record<string, string | string[]> };

/** Adds further members to the body in place: copying half a million takes longer than reading them. */
function fillUp(body: Record<string, unknown>, rest: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(rest)) if (!Object.hasOwn(body, name)) body[name] = value;
  return body;
}

/**
 * Merges query parameters, JSON body, headers and path parameters; later ones win. A repeated parameter becomes a list,
 * which only list schemas accept; unknown ones are refused. Texts of the address are repaired for the database, so that
 * verbs can ignore NUL.
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

/** Path of a request's address; the query may be private. */
const pathOf = (url: string): string => new URL(url).pathname;

/** Context: caller, address and time; a browser's cookie only counts from our own pages. */
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
    // Created on demand.
    get signal() {
      return request.signal;
    },
    ifMatch: matchedBy(request.headers.get(IF_MATCH)),
    bytes: body === "stream" ? bytesOf(request) : undefined,
  };
}

/** True if the operation accepts an Idempotency-Key. */
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
  // Callers with a credential were looked up within a time limit; others would wait as long as the database hangs.
  if (spec.auth === "none" && !BODILESS.has(request.method)) await requireAnswer();
  const key = isIdempotent(request.method, spec) ? idempotencyKeyOf(request) : null;
  if (key === null) return answerWith(spec, ctx, parsed.data);
  const run = (keep: KeepAnswer) =>
    answerWith(spec, { ...ctx, keep: (tx, result) => keep(tx, toAnswer(spec, result)) }, parsed.data);
  // An earlier answer is only given to callers who could get it now.
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

/** A route from its description in the API document and its handler. */
export function described(spec: RouteSpec, give: NonNullable<RouteHandler["answer"]>): RouteHandler {
  const handler = async (request: Request, context?: RouteContext): Promise<Response> => {
    const given = await give(request, context);
    return given instanceof Response ? given : toResponse(given);
  };
  return Object.assign(handler, { spec, answer: give });
}

/**
 * A REST route: an operation with its HTTP specifics. Authentication, permission, validation, tenancy, limits and
 * errors are handled here for all routes.
 */
export function route<I extends z.ZodType, R>(operation: Operation<I, R>, options: RouteOptions): RouteHandler {
  const spec: RouteSpec = { ...operation, ...options };
  return described(spec, (request, { params }: Partial<RouteContext> = {}) =>
    answered(async (requestId) => answer(spec, { request, requestId, params: (await params) ?? {} })),
  );
}
