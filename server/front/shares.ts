import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { credentialOf } from "@/server/auth/authenticate";
import { sessionToken } from "@/server/auth/session-cookie";
import { isHttps } from "@/server/env";
import type { RouteSpec } from "@/server/http/route";
import { FairShare } from "@/server/limits/fair-share";
import { enterInFlight } from "@/server/limits/in-flight";

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

/**
 * Counts a request of the API among those of its credential until its answer is complete.
 * @throws AppError rate_limited when that has too many in flight
 */
export function countInFlight(
  { headers }: IncomingMessage,
  outgoing: ServerResponse,
  spec: RouteSpec | undefined,
): void {
  const credential = isCounted(spec) ? credentialOf(readable(headers)) : null;
  if (credential !== null) outgoing.once("close", enterInFlight(credential));
}

/** A page is rendered on the thread that answers everybody: so many of one session at a time, the next ones wait. */
const pages = new FairShare({ total: 64, perCaller: 2, waiting: 64, waitMs: 10_000 });

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
      gone.abort();
      resolve();
    });
  });
  // Whoever hangs up has a turn no longer, whether the rendering notices or not.
  return pages.take(hash("sha256", session, "base64"), () => Promise.race([render(), closed]), gone.signal);
}
