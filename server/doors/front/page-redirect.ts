import type { IncomingMessage, ServerResponse } from "node:http";
import { presentSearch } from "@/server/audit/query/old-address";
import { REQUESTED_PAGE, sessionToken } from "@/server/identity/auth/session-cookie";

/** Pages open to everyone, Next's own addresses, and files by their extension. */
const OPEN = /^\/(api|login|invite|reset|forgot|setup|verify|p|docs|_next|__nextjs\w*)(\/|$)|\.[a-z0-9]+$/;

function redirect(outgoing: ServerResponse, location: string): true {
  outgoing.writeHead(307, { Location: location, "Cache-Control": "no-store" }).end();
  return true;
}

/**
 * Sends old links to their present address, and people without a session cookie to the sign-in page and back
 * afterwards; true when it did. Whether the session is still valid is for the page to find out, which learns its own
 * address from a request header.
 */
export function redirectPage(incoming: IncomingMessage, outgoing: ServerResponse, https: boolean): boolean {
  delete incoming.headers[REQUESTED_PAGE];
  const [, pathname = "/", query = ""] = /^([^?]*)\??(.*)$/s.exec(incoming.url ?? "/") ?? [];
  if (OPEN.test(pathname)) return false;
  const params = new URLSearchParams(query);
  // Next's router adds this to its own requests for a page's data.
  params.delete("_rsc");
  const present = presentSearch(pathname, params);
  const page = present.size > 0 ? `${pathname}?${present}` : pathname;
  // Two slashes would name another host; browsers take a backslash for one.
  if (present.toString() !== params.toString()) return redirect(outgoing, page.replace(/^[/\\]+/, "/"));
  if (!sessionToken({ get: () => incoming.headers.cookie ?? null }, https))
    return redirect(outgoing, page === "/" ? "/login" : `/login?${new URLSearchParams({ callbackUrl: page })}`);
  incoming.headers[REQUESTED_PAGE] = page;
  return false;
}
