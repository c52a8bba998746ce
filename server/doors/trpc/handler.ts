import { type AnyProcedure, TRPCError } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { z } from "zod";
import { nameRequest } from "@/db/traced";
import { MAX_STRANGERS_BYTES, readJson, refuseHostileJson } from "@/server/doors/http/body";
import { idempotencyKeyOf } from "@/server/doors/http/idempotency";
import { problemResponse } from "@/server/doors/http/problem";
import { originOf } from "@/server/ground/client-ip";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, invalidInput, notFound } from "@/server/ground/errors";
import { newRequestId } from "@/server/ground/ids";
import { authenticate } from "@/server/identity/auth/authenticate";
import { requireSameOrigin } from "@/server/identity/auth/origin";
import { MAX_BATCH_CALLS } from "./batch";
import { type TrpcContext, toTrpcError } from "./init";
import { appRouter } from "./root";

/**
 * Context of procedures for a browser's request. Mutations use POST; with the cookie they must come from our pages.
 * @throws TRPCError FORBIDDEN from another site, SERVICE_UNAVAILABLE while the database is away.
 */
export async function createContext(request: Request): Promise<TrpcContext> {
  const requestId = nameRequest(newRequestId());
  const from = originOf(request);
  const authenticated = async (): Promise<Ctx> => {
    const { viaCookie, ...caller } = await authenticate(request, { auth: "user" });
    requireSameOrigin(request, viaCookie);
    return { ...caller, ...from, requestId, now: () => new Date(), signal: request.signal, recheck: authenticated };
  };
  try {
    return { caller: await authenticated(), requestId, from, idempotencyKey: idempotencyKeyOf(request) };
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return { caller: null, requestId, from };
    throw toTrpcError(error, requestId);
  }
}

const ENDPOINT = "/api/trpc";

/** @throws AppError for an address with invalid escapes, which tRPC would report as a server error. */
function requireReadable({ pathname, searchParams }: URL): void {
  const [input, ...more] = searchParams.getAll("input");
  if (more.length > 0) throw invalid("input", "is given twice");
  try {
    decodeURIComponent(pathname);
  } catch {
    throw notFound("procedure");
  }
  if (input !== undefined) refuseHostileJson(parse(input), "input");
}

function parse(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    throw invalid("input", "is not valid JSON");
  }
}

/** Only known callers may send a body larger than strangers'. */
async function limitOf(request: Request): Promise<number | undefined> {
  const length = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (length <= MAX_STRANGERS_BYTES && !request.headers.has("content-encoding")) return undefined;
  const { caller } = await createContext(request).catch(() => ({ caller: null }));
  return caller ? undefined : MAX_STRANGERS_BYTES;
}

/** The request with its body read and checked within REST's limits: tRPC has none. */
async function checked(request: Request): Promise<Request> {
  const url = new URL(request.url);
  requireReadable(url);
  if (request.method !== "POST") return request;
  const body = JSON.stringify(await readJson(request, { max: await limitOf(request) }));
  const headers = new Headers([...request.headers].filter(([name]) => !/^content-(length|encoding)$/.test(name)));
  return new Request(url, { method: "POST", headers, signal: request.signal, body });
}

/** A subscription by its path; undefined for others. */
function subscriptionAt({ pathname }: URL) {
  // By path, though the router's type is a tree.
  const procedures: Record<string, AnyProcedure | undefined> = Object(appRouter._def.procedures);
  const procedure = procedures[pathname.slice(ENDPOINT.length + 1)];
  return procedure?._def.type === "subscription" ? procedure : undefined;
}

/**
 * Refuses a bad subscription before its stream starts: tRPC would answer 200 and write the error into the stream. That
 * is only right for a browser's EventSource, which announces that it accepts streams.
 * @throws AppError method_not_allowed, unauthenticated or validation_failed
 */
async function requireStream(req: Request, createdContext: () => Promise<TrpcContext>): Promise<void> {
  const url = new URL(req.url);
  const procedure = subscriptionAt(url);
  if (!procedure) return;
  if (req.method !== "GET") throw new AppError("method_not_allowed", "Subscribe with GET.");
  if (req.headers.get("accept")?.includes("text/event-stream")) return;
  if (!(await createdContext()).caller) throw new AppError("unauthenticated");
  const [schema] = z.array(z.instanceof(z.ZodType)).parse(procedure._def.inputs);
  const parsed = schema?.safeParse(JSON.parse(url.searchParams.get("input") ?? "null") ?? undefined);
  if (parsed?.error) throw invalidInput(parsed.error);
}

/** Headers for errors as in REST: when to retry. */
const headersOf = (errors: readonly TRPCError[]): Record<string, string> =>
  Object.assign({}, ...errors.map(({ cause }) => (cause instanceof AppError ? cause.extra.headers : {})));

/**
 * Answers the browser's calls at /api/trpc. Invalid calls (no JSON, another content type, too many at once) are refused
 * before authentication.
 */
export async function answerTrpc(request: Request): Promise<Response> {
  let req: Request;
  let context: Promise<TrpcContext> | undefined;
  const createdContext = () => {
    context ??= createContext(req);
    return context;
  };
  try {
    req = await checked(request);
    await requireStream(req, createdContext);
  } catch (error) {
    return problemResponse(error instanceof TRPCError ? error.cause : error, newRequestId());
  }
  return fetchRequestHandler({
    endpoint: ENDPOINT,
    req,
    router: appRouter,
    maxBatchSize: MAX_BATCH_CALLS,
    createContext: createdContext,
    responseMeta: ({ errors }) => ({ headers: { ...headersOf(errors), "cache-control": "no-store" } }),
  });
}
