import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { readLimited } from "@/server/http/body";
import { problemResponse } from "@/server/http/problem";
import { newRequestId } from "@/server/ids";
import { createContext } from "@/server/trpc/context";
import { appRouter } from "@/server/trpc/root";

export const dynamic = "force-dynamic";

/** The same request with its body in memory, which the limit keeps small: tRPC itself would read without end. */
async function limited(request: Request): Promise<Request> {
  if (request.method !== "POST") return request;
  const body = await readLimited(request);
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: Buffer.from(body) });
}

async function handler(request: Request): Promise<Response> {
  let req: Request;
  try {
    req = await limited(request);
  } catch (error) {
    return problemResponse(error, newRequestId());
  }
  return fetchRequestHandler({
    endpoint: "/api/trpc",
    req,
    router: appRouter,
    createContext: () => createContext(req),
    responseMeta: () => ({ headers: { "cache-control": "no-store" } }),
  });
}

export { handler as GET, handler as POST };
