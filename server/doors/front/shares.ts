import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RouteSpec } from "@/server/doors/http/route";
import { MAX_BATCH_CALLS } from "@/server/doors/trpc/batch";
import { clientIp, networkOf } from "@/server/ground/client-ip";
import { env, isHttps } from "@/server/ground/env";
import { AppError, hungUp } from "@/server/ground/errors";
import { backOffFactor, FairShare, hasSeveralCallers } from "@/server/ground/limits/fair-share";
import { enterInFlight } from "@/server/ground/limits/in-flight";
import { rest } from "@/server/ground/limits/rest";
import { credentialOf } from "@/server/identity/auth/authenticate";
import { sessionToken } from "@/server/identity/auth/session-cookie";
import { HeldRefusals } from "./held-refusals";
import type { RouteMatch } from "./registry";

/** Node's headers as those who find out the caller read them. */
const readable = (headers: IncomingMessage["headers"]) => ({
  get: (name: string): string | null => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  },
});

/** What only hands events in is taken over by the spool; a live query waits for a device, not for this server. */
const UNCOUNTED: readonly (string | undefined)[] = ["audit:write", "devices:live"];
/** Agents are counted by the minute. */
const isCounted = (spec: RouteSpec | undefined): boolean =>
  !spec || (spec.auth === "user" && !UNCOUNTED.includes(spec.permission));

type Called = { spec: RouteSpec | undefined; params: RouteMatch["params"] };

/** A batch is as many requests as it has calls; one with more than it may have is refused for that. */
const callsOf = ({ trpc }: RouteMatch["params"]): number =>
  typeof trpc === "string" ? Math.min(trpc.split(",").length, MAX_BATCH_CALLS) : 1;

/**
 * Counts a request of the API among those of its credential until its answer is complete.
 * @returns the refusal when that has too many in flight
 */
export function countInFlight(
  { headers }: IncomingMessage,
  outgoing: ServerResponse,
  { spec, params }: Called,
): AppError | null {
  const credential = isCounted(spec) ? credentialOf(readable(headers)) : null;
  if (credential === null) return null;
  const leave = enterInFlight(credential, callsOf(params));
  if (leave instanceof AppError) return leave;
  outgoing.once("close", leave);
  return null;
}

const held = new HeldRefusals();

/** Lets the answers go that are held back, and holds none from now on. */
export const endHolding = (): void => held.end();

/**
 * Waits before a request is refused as one too many: the longer, the more such refusals its credential, or without one
 * its network, is waiting for. Submissions of events, agents and live queries never wait.
 */
export async function holdRefusal(
  { headers, socket }: IncomingMessage,
  outgoing: ServerResponse,
  spec?: RouteSpec,
): Promise<void> {
  if (!isCounted(spec) && spec?.auth !== "none") return;
  const from = readable(headers);
  const ip = clientIp(from, socket.remoteAddress ?? null, env().TRUST_PROXY_HEADERS);
  const { over, letGo } = held.hold(hash("sha256", credentialOf(from) ?? networkOf(ip) ?? "", "base64"));
  outgoing.once("close", letGo);
  await over;
}

/**
 * Pages are rendered on the thread that answers requests: so many of one session at a time, the next ones after a
 * pause. A page's own requests count as its reader's, so there are others only when several readers ask.
 */
const pages = new FairShare({ total: 64, perCaller: 2, waiting: 64, waitMs: 10_000 }, (_, waiting) =>
  hasSeveralCallers() ? backOffFactor(waiting) : 0,
);

/**
 * Renders a page when the session's turn comes; Next's files, and pages of strangers, at once.
 * @throws AppError rate_limited when too many of the session's pages wait
 */
export function inPageShare(
  { headers, url = "/" }: IncomingMessage,
  outgoing: ServerResponse,
  render: () => Promise<void>,
): Promise<void> {
  const session = url.startsWith("/_next/") ? null : sessionToken(readable(headers), isHttps());
  if (session === null) return render();
  const gone = new AbortController();
  const closed = new Promise<void>((resolve) => {
    outgoing.once("close", () => {
      gone.abort(hungUp());
      resolve();
    });
  });
  const key = hash("sha256", session, "base64");
  // A client that disconnects loses its turn, whether the rendering notices or not. The rest keeps the next page waiting, not this one.
  const work = async () => {
    const began = performance.now();
    await Promise.race([render(), closed]);
    await rest(performance.now() - began, 1);
  };
  return pages.run(key, work, gone.signal);
}
