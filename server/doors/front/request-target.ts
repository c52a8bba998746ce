import type { IncomingMessage, ServerResponse } from "node:http";
import { REQUESTED_PAGE, sessionToken } from "@/server/identity/auth/session-cookie";
import { isOpen } from "./kept-pages";

/**
 * Path and query of a request target (RFC 9112, section 3.2). Proxies may send an absolute address, which is equivalent
 * if it names this server.
 * @returns null for `*`, another host's address and other invalid targets
 */
export function pathOf(target: string, origin: string): string | null {
  if (target.startsWith("/")) return target;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return null;
  const url = new URL(target);
  return url.host === new URL(origin).host && !url.username && !url.password ? url.pathname + url.search : null;
}

/** Parameters allowed in a page's address; ours have less than a tenth. */
export const MAX_PAGE_PARAMETERS = 200;

/** True if an address exceeds the limit: Next's time grows with the square of the number. */
export const hasTooManyParameters = (target: string): boolean =>
  target.split("&", MAX_PAGE_PARAMETERS + 1).length > MAX_PAGE_PARAMETERS;

/** Repeated, these may be read differently by a proxy (RFC 9112, section 3.2; RFC 9110, section 5.3). */
const SINGULAR = new Set(["host", "authorization", "x-api-key", "content-type", "content-encoding", "idempotency-key"]);

/** First repeated header among those; null if there is none. */
export function namedTwice(rawHeaders: readonly string[]): string | null {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    if (!SINGULAR.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/**
 * Redirects visitors without a session cookie to the sign-in page and back afterwards; true if redirected. The page
 * checks the session itself and gets its address in a request header.
 */
export function redirectPage(incoming: IncomingMessage, outgoing: ServerResponse, https: boolean): boolean {
  delete incoming.headers[REQUESTED_PAGE];
  const [, pathname = "/", query = ""] = /^([^?]*)\??(.*)$/s.exec(incoming.url ?? "/") ?? [];
  if (isOpen(pathname)) return false;
  const params = new URLSearchParams(query);
  // Next's router adds this to requests for a page's data.
  params.delete("_rsc");
  const page = params.size > 0 ? `${pathname}?${params}` : pathname;
  if (!sessionToken({ get: () => incoming.headers.cookie ?? null }, https)) {
    const location = page === "/" ? "/login" : `/login?${new URLSearchParams({ callbackUrl: page })}`;
    outgoing.writeHead(307, { Location: location, "Cache-Control": "no-store" }).end();
    return true;
  }
  incoming.headers[REQUESTED_PAGE] = page;
  return false;
}
