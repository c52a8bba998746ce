import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { RequestHandler } from "next/dist/server/next";
import { whenWritten } from "@/server/audit/record/record";
import { AppError } from "@/server/errors";
import type { Answer } from "@/server/http/answer";
import { PEER_HEADER } from "@/server/http/client-ip";
import { problemAnswer } from "@/server/http/problem";
import { log } from "@/server/log";
import { countRequest } from "@/server/process/metrics";
import { watchPeer } from "./dead-peers";
import { lazyRequest } from "./lazy-request";
import { refuseMalformed } from "./refuse-malformed";
import { createRegistry, handlerOf, METHODS, type RouteFile, type RouteMatch } from "./registry";
import { respond } from "./respond";
import { setPagePolicy, setSecurityHeaders } from "./security-headers";

export type FrontOptions = {
  routes: RouteFile[];
  next: () => RequestHandler;
  origin: string;
  /** In development Next serves every route itself, from its own fresh copy. */
  dev: boolean;
};

/** Slow clients: headers within 4 s, a whole request within 60 s (a body of 5 MiB over a poor line). */
const HEADERS_TIMEOUT_MS = 4_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Node looks every 30 s unless told; a slow client would hold its socket for as long. */
const TIMEOUT_LOOK_MS = 500;

async function callRoute(
  match: RouteMatch,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  origin: string,
): Promise<void> {
  const method = incoming.method ?? "GET";
  const handler = handlerOf(match, method);
  let answer: Answer | Response;
  if (handler) {
    const call = handler.answer ?? handler;
    answer = await call(lazyRequest(incoming, outgoing, origin), { params: Promise.resolve(match.params) });
  } else {
    const allowed = METHODS.filter((m) => match.handlers[m]).flatMap((m) => (m === "GET" ? ["GET", "HEAD"] : [m]));
    const error = new AppError("method_not_allowed", `${method} is not offered here.`, {
      headers: { Allow: allowed.join(", ") },
    });
    answer = problemAnswer(error, crypto.randomUUID());
  }
  await whenWritten();
  // Closed while the rest of a refused body still arrives, the connection would be reset and the answer lost with it.
  if (!incoming.complete) outgoing.shouldKeepAlive = true;
  await respond(incoming, outgoing, answer);
  // An unread body (refused early) would block the connection's next request.
  if (!incoming.complete) incoming.resume();
}

/**
 * The one http server in front: it alone knows the socket's address, so it overwrites the header that carries it;
 * answers the API from the route files and hands pages to Next.
 */
export function createFront(options: FrontOptions): Server {
  const match = createRegistry(options.routes);
  const https = options.origin.startsWith("https:");
  const server = createServer({ connectionsCheckingInterval: TIMEOUT_LOOK_MS }, (incoming, outgoing) => {
    incoming.headers[PEER_HEADER] = incoming.socket.remoteAddress ?? "";
    setSecurityHeaders(outgoing, https);
    const pathname = (incoming.url ?? "/").split("?", 1)[0] as string;
    const started = performance.now();
    const found = options.dev ? undefined : match(pathname);
    outgoing.once("finish", () =>
      countRequest(found ? "api" : "page", outgoing.statusCode, performance.now() - started),
    );
    if (!found) setPagePolicy(incoming, outgoing, options.dev);
    if (!found && incoming.headers.accept === "text/event-stream") watchPeer(incoming.socket);
    const work = found ? callRoute(found, incoming, outgoing, options.origin) : options.next()(incoming, outgoing);
    work.catch((error: unknown) => {
      const gone = (error as { code?: string }).code === "ERR_STREAM_PREMATURE_CLOSE" || outgoing.destroyed;
      if (!gone) log.error({ err: error, path: pathname }, "request failed");
      outgoing.destroy();
    });
  });
  server.on("clientError", refuseMalformed);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = 65_000;
  return server;
}
