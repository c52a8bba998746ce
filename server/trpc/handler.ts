import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { AppError, invalid, notFound } from "@/server/errors";
import { parseUnrounded } from "@/server/exact-json";
import { MAX_STRANGERS_BYTES, readJson, refuseHostileJson } from "@/server/http/body";
import { problemResponse } from "@/server/http/problem";
import { newRequestId } from "@/server/ids";
import { MAX_BATCH_CALLS } from "./batch";
import { createContext } from "./context";
import { appRouter } from "./root";

const ENDPOINT = "/api/trpc";

/** @throws AppError of the fault: tRPC itself would take an address that is no escape for a fault of the server. */
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
    return parseUnrounded(input);
  } catch (error) {
    throw error instanceof AppError ? error : invalid("input", "is not valid JSON");
  }
}

/** More than a stranger sends is taken apart for those alone who are known. */
async function limitOf(request: Request): Promise<number | undefined> {
  const length = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (length <= MAX_STRANGERS_BYTES && !request.headers.has("content-encoding")) return undefined;
  const { caller } = await createContext(request).catch(() => ({ caller: null }));
  return caller ? undefined : MAX_STRANGERS_BYTES;
}

/** The same request with its body read, checked and held to the limits of REST: tRPC itself would read without end. */
async function checked(request: Request): Promise<Request> {
  const url = new URL(request.url);
  requireReadable(url);
  if (request.method !== "POST") return request;
  const body = JSON.stringify(await readJson(request, { numbers: "unrounded", max: await limitOf(request) }));
  const headers = new Headers([...request.headers].filter(([name]) => !/^content-(length|encoding)$/.test(name)));
  return new Request(url, { method: "POST", headers, signal: request.signal, body });
}

/**
 * Answers the browser's calls at /api/trpc. What is no call at all (no JSON, no such content type, too many at once) is
 * refused before authentication.
 */
export async function answerTrpc(request: Request): Promise<Response> {
  let req: Request;
  try {
    req = await checked(request);
  } catch (error) {
    return problemResponse(error, newRequestId());
  }
  return fetchRequestHandler({
    endpoint: ENDPOINT,
    req,
    router: appRouter,
    maxBatchSize: MAX_BATCH_CALLS,
    createContext: () => createContext(req),
    responseMeta: () => ({ headers: { "cache-control": "no-store" } }),
  });
}
