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

/** Node's headers as those who find out the caller read them. */
const readable = (headers: IncomingMessage["headers"]) => ({
  get: (name: string): string | null => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  },
});

/** The spool takes submitted events over; a live query waits for a device, not for this server. */
const UNCOUNTED: readonly (string | undefined)[] = ["audit:write", "devices:live"];
/** Agents are counted by the minute. */
const isCounted = (spec: RouteSpec | undefined): boolean =>
  !spec || (spec.auth === "user" && !UNCOUNTED.includes(spec.permission));

type Called = { spec: RouteSpec | undefined; params: RouteMatch["params"] };

/** A batch is as many requests as it has calls; one with more than it may have is refused for that. */
const callsOf = ({ trpc }: RouteMatch["params"]): number =>
  typeof trpc === "string" ? Math.min(trpc.split(",").length, MAX_BATCH_CALLS) : 1;

/** Requests of one credential that a process works on at a time: a browser has far fewer, a busy script keeps a hundred connections. */
export const MAX_IN_FLIGHT = 128;

/**
 * Counts a request of the API among those of its credential until its answer is complete, before it is known whose that is:
 * a caller with hundreds of requests at once is refused without a database query. Only the whole secret counts, valid or
 * not, so no caller uses up another's share.
 * @returns the refusal when that has too many in flight
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

/** Pages are answered by the thread that answers requests: two of one session at a time. */
const pages = new CallerConcurrency(2, { max: 64, ms: 10_000 });

/** A built file, which costs no rendering. */
const isFile = (url: string): boolean => /^\/(_next\/static\/|icon\.svg)/.test(url);

/**
 * Answers with a page when its reader's turn comes, with Next's files at once. A cookie that is no session is a stranger's.
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
  // A client that disconnects loses its turn, whether the rendering notices or not.
  const work = () => Promise.race([render(), closed]);
  if (session) return pages.run(session.sid, work, gone.signal);
  return inStrangersTurn(originOf({ headers: readable(headers) }).ip, work, gone.signal);
}
