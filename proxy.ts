import { type NextRequest, NextResponse } from "next/server";
import { presentSearch } from "./components/audit/filters/old-address";
import { ASKED_FOR, SESSION_COOKIE } from "./server/auth/session-cookie";

/**
 * Sends old links to their present address, and people without a session to the sign-in page and back afterwards.
 * Whether the session holds, the page asks.
 */
export function proxy(request: NextRequest) {
  const { pathname, search, searchParams } = request.nextUrl;
  const present = presentSearch(pathname, searchParams).toString();
  if (present !== searchParams.toString())
    return NextResponse.redirect(new URL(`${pathname}?${present}`, request.nextUrl));
  if (request.cookies.has(SESSION_COOKIE)) {
    const headers = new Headers(request.headers);
    headers.set(ASKED_FOR, pathname + search);
    return NextResponse.next({ request: { headers } });
  }
  const target = new URL("/login", request.nextUrl);
  if (pathname !== "/") target.searchParams.set("callbackUrl", pathname + search);
  else if (search) target.searchParams.set("callbackUrl", `/${search}`);
  return NextResponse.redirect(target);
}

/** Never over the API, assets, or the pages that are open to everybody. */
export const config = {
  matcher: [
    "/((?!api/|api$|_next/|healthz|readyz|metrics|login|setup|verify|docs|icon.svg|favicon.ico|.*\\.[a-z0-9]+$).*)",
  ],
};
