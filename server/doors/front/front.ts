import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import type { RequestHandler } from "next/dist/server/next";
import { codeOf } from "@/db/thrown";
import { whenWritten } from "@/server/audit/record/record";
import type { Answer } from "@/server/doors/http/answer";
import { problemAnswer } from "@/server/doors/http/problem";
import { METHODS, type RouteFile } from "@/server/doors/http/route";
import { countRequest } from "@/server/ground/background/metrics";
import { trackWork } from "@/server/ground/background/pending-work";
import { inRequest } from "@/server/ground/background/tracing";
import { PEER_HEADER } from "@/server/ground/client-ip";
import { AppError, invalid } from "@/server/ground/errors";
import { log } from "@/server/ground/log";
import { countInFlight, inPageLimit } from "./in-flight";
import { KeptPages, keptAddress } from "./kept-pages";
import { lazyRequest } from "./lazy-request";
import { watchPeer } from "./linux-peers";
import { assetOfOtherRelease } from "./other-releases";
import { createRegistry, handlerOf, type RouteMatch } from "./registry";
import { hasTooManyParameters, MAX_PAGE_PARAMETERS, namedTwice, pathOf, redirectPage } from "./request-target";
import { respond } from "./respond";
import { setPagePolicy, setSecurityHeaders } from "./security-headers";
import { orAwayPage } from "./unavailable-page";

/** Faults of Node's parser in the caller's terms. */
const FAULTS: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ["headers", "are over 16 KiB together with the address"],
  ERR_HTTP_REQUEST_TIMEOUT: ["request", "did not arrive in time"],
};

/** Answers on a raw socket and closes it: a client may keep its end open on purpose. */
function refuseOn(socket: Duplex, error: AppError): void {
  const { status, headers, body } = problemAnswer(error, crypto.randomUUID());
  const text = body ?? "";
  const sent = { ...headers, "Content-Length": String(Buffer.byteLength(text)), Connection: "close" };
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${text}`, () => socket.destroy());
}

/** Answers malformed input (oversized headers, too slow, not HTTP) like other bad requests, then closes. */
function refuseMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [path, message] = FAULTS[error.code ?? ""] ?? ["request", "is not valid HTTP"];
  refuseOn(socket, invalid(path, message));
}

export type FrontOptions = {
  routes: RouteFile[];
  /** Serves pages and their assets, which no route file answers. */
  next: RequestHandler;
  origin: string;
  /** Next's development server needs a wider content security policy. */
  dev: boolean;
};

/** Slow clients: headers within 4 s, a whole request within 60 s (a body of 5 MiB over a slow line). */
const HEADERS_TIMEOUT_MS = 4_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Node's default of 30 s would let a slow client keep its socket that long. */
const CONNECTION_CHECK_MS = 500;

type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse };

const PAGE_METHODS = ["GET", "HEAD"];

const refusal = (error: AppError): Answer => problemAnswer(error, crypto.randomUUID());

const methodNotAllowed = (method: string, allowed: readonly string[]): Answer =>
  refusal(
    new AppError("method_not_allowed", `${method} is not offered here.`, { headers: { Allow: allowed.join(", ") } }),
  );

const methodsOf = ({ handlers }: RouteMatch): string[] =>
  METHODS.filter((m) => handlers[m]).flatMap((m) => (m === "GET" ? PAGE_METHODS : [m]));

async function answerOf(
  match: RouteMatch,
  { incoming, outgoing }: Exchange,
  origin: string,
): Promise<Answer | Response> {
  const method = incoming.method ?? "GET";
  const handler = handlerOf(match, method);
  const call = handler?.answer ?? handler;
  if (!call) return methodNotAllowed(method, methodsOf(match));
  const tooMany = countInFlight(incoming, outgoing, { spec: handler?.spec, params: match.params });
  const answer = tooMany
    ? refusal(tooMany)
    : await call(lazyRequest(incoming, outgoing, origin), { params: Promise.resolve(match.params) });
  await whenWritten();
  return answer;
}

async function callRoute(match: RouteMatch, exchange: Exchange, origin: string): Promise<void> {
  const { incoming, outgoing } = exchange;
  const answer = await answerOf(match, exchange, origin);
  // Closing while a refused body is still arriving would reset the connection and lose the answer.
  const isLast = !outgoing.shouldKeepAlive && !incoming.complete;
  if (isLast) outgoing.shouldKeepAlive = true;
  await respond(incoming, outgoing, answer);
  if (isLast) endAfter(incoming);
  // An unread body would block the connection's next request.
  if (!incoming.complete) incoming.resume();
}

/** Closes the connection as the client asked, after the whole request has arrived. */
function endAfter(incoming: IncomingMessage): void {
  const end = () => incoming.socket.end();
  if (incoming.readableEnded) end();
  else incoming.once("end", end).resume();
}

async function servePage({ incoming, outgoing }: Exchange, options: FrontOptions, keptPages: KeptPages): Promise<void> {
  const { method = "GET" } = incoming;
  // Next's development server posts to its own addresses.
  if (!options.dev && !PAGE_METHODS.includes(method))
    return respond(incoming, outgoing, methodNotAllowed(method, PAGE_METHODS));
  const asset = options.dev ? null : await assetOfOtherRelease(incoming.url?.split("?", 1)[0] ?? "");
  if (asset) return respond(incoming, outgoing, asset);
  if (hasTooManyParameters(incoming.url ?? ""))
    return respond(incoming, outgoing, refusal(invalid("target", `has more than ${MAX_PAGE_PARAMETERS} parameters`)));
  if (redirectPage(incoming, outgoing, options.origin.startsWith("https:"))) return;
  const nonce = setPagePolicy(incoming, outgoing, options.dev);
  if (incoming.headers.accept === "text/event-stream") watchPeer(incoming.socket);
  const render = () => orAwayPage(incoming, outgoing, () => options.next(incoming, outgoing));
  if (options.dev) return render();
  const address = keptAddress(incoming);
  const serve = async () => {
    const kept = address && (await keptPages.answer(address, nonce));
    if (kept) return respond(incoming, outgoing, kept);
    if (address) keptPages.keep(address, nonce, { incoming, outgoing });
    return render();
  };
  await inPageLimit(incoming, outgoing, serve).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    return respond(incoming, outgoing, refusal(error));
  });
}

/** Answers every request: the API through route files, everything else through Next. */
export function createListener(options: FrontOptions): RequestListener {
  const match = createRegistry(options.routes);
  const https = options.origin.startsWith("https:");
  const keptPages = new KeptPages();
  return (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    // Overwrites a client's header: only here is the socket's address known.
    incoming.headers[PEER_HEADER] = incoming.socket.remoteAddress ?? "";
    setSecurityHeaders(outgoing, https);
    const twice = namedTwice(incoming.rawHeaders);
    const path = twice ? null : pathOf(incoming.url ?? "/", options.origin);
    if (path !== null) incoming.url = path;
    const pathname = path?.split("?", 1)[0] ?? "";
    const started = performance.now();
    const found = path === null ? undefined : match(pathname);
    outgoing.once("finish", () => countRequest(found?.path ?? null, outgoing.statusCode, performance.now() - started));
    const serve = (): Promise<void> => {
      // HTTP/0.9 has neither a version nor a Host.
      if (incoming.httpVersionMajor < 1)
        return respond(incoming, outgoing, refusal(invalid("request", "is not valid HTTP")));
      if (twice) return respond(incoming, outgoing, refusal(invalid(twice, "is given twice")));
      if (path === null) return respond(incoming, outgoing, refusal(invalid("target", "names nothing on this server")));
      return found ? callRoute(found, exchange, options.origin) : servePage(exchange, options, keptPages);
    };
    const served = inRequest(found?.path ?? null, exchange, serve).catch((error: unknown) => {
      const gone = codeOf(error) === "ERR_STREAM_PREMATURE_CLOSE" || outgoing.destroyed;
      if (!gone) log.error({ err: error, path: pathname }, "request failed");
      outgoing.destroy();
    });
    // A verb continues after a disconnect, but Next may never finish such a response.
    if (found) trackWork(served);
  };
}

/** The process's HTTP server, in development and production. */
export function createFront(listener: RequestListener): Server {
  const server = createServer({ connectionsCheckingInterval: CONNECTION_CHECK_MS }, listener);
  server.on("clientError", refuseMalformed);
  server.on("connect", (_, socket) => refuseOn(socket, new AppError("method_not_allowed", "This is no proxy.")));
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  return server;
}
