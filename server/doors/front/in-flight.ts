import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RouteSpec } from "@/server/doors/http/route";
import { MAX_BATCH_CALLS } from "@/server/doors/trpc/batch";
import { originOf } from "@/server/ground/client-ip";
import { isHttps } from "@/server/ground/env";
import { type AppError, hungUp, tooMany } from "@/server/ground/errors";
import { BUSY_SECONDS, CallerConcurrency, hold, inStrangersTurn } from "@/server/ground/limits/concurrency";
import { credentialOf } from "@/server/identity/auth/authenticate";
import { verifyAccessToken } from "@/server/identity/auth/jwt";
import { sessionToken } from "@/server/identity/auth/session-cookie";
import type { RouteMatch } from "./registry";

/** Adapts Node's headers for authentication. */
const readable = (headers: IncomingMessage["headers"]) => ({
  get: (name: string): string | null => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  },
});

/** Not counted: the spool accepts submitted events, and live queries wait for devices. */
const UNCOUNTED: readonly (string | undefined)[] = ["audit:write", "devices:live"];
/** Agents have limits per minute instead. */
const isCounted = (spec: RouteSpec | undefined): boolean =>
  !spec || (spec.auth === "user" && !UNCOUNTED.includes(spec.permission));

type Called = { spec: RouteSpec | undefined; params: RouteMatch["params"] };

/** Counts the calls of a batch; one above the limit is refused for that. */
const callsOf = ({ trpc }: RouteMatch["params"]): number =>
  typeof trpc === "string" ? Math.min(trpc.split(",").length, MAX_BATCH_CALLS) : 1;

/**
 * Concurrent requests per credential and process: browsers need far fewer, a busy script keeps a hundred connections.
 */
export const MAX_IN_FLIGHT = 128;

/**
 * Counts an API request under its credential until the answer is complete, before authentication, so that a flood of
 * requests is refused without database queries. Uses the whole secret, valid or not, so that no caller uses up
 * another's share.
 * @returns the refusal if too many are in flight
 */
export function countInFlight(
  { headers }: IncomingMessage,
  outgoing: ServerResponse,
  { spec, params }: Called,
): AppError | null {
  const credential = isCounted(spec) ? credentialOf(readable(headers)) : null;
  if (credential === null) return null;
  const leave = hold(`request ${hash("sha256", credential, "base64")}`, {
    amount: callsOf(params),
    max: MAX_IN_FLIGHT,
  });
  if (!leave)
    return tooMany(`You have ${MAX_IN_FLIGHT} requests in flight, which is the limit. Send fewer at a time.`, {
      limit: MAX_IN_FLIGHT,
      seconds: BUSY_SECONDS,
    });
  outgoing.once("close", leave);
  return null;
}

/** Pages render on the request thread, so a session gets two at a time. */
const pages = new CallerConcurrency(2, { max: 64, ms: 10_000 });

/** A built file needs no rendering. */
const isFile = (url: string): boolean => /^\/(_next\/static\/|icon\.svg)/.test(url);

/**
 * Renders a page in its reader's turn; Next's files are served at once. An invalid cookie counts as a stranger.
 * @throws AppError rate_limited when too many of the reader's pages wait
 */
export async function inPageLimit(
  { headers, url = "/" }: IncomingMessage,
  outgoing: ServerResponse,
  render: () => Promise<void>,
): Promise<void> {
  if (isFile(url)) return render();
  const token = sessionToken(readable(headers), isHttps());
  const session = token === null ? null : await verifyAccessToken(token);
  const gone = new AbortController();
  const closed = new Promise<void>((resolve) => {
    outgoing.once("close", () => {
      gone.abort(hungUp());
      resolve();
    });
  });
  // A disconnected client loses its turn, even if rendering continues.
  const work = () => Promise.race([render(), closed]);
  if (session) return pages.run(session.sid, work, gone.signal);
  return inStrangersTurn(originOf({ headers: readable(headers) }).ip, work, gone.signal);
}
