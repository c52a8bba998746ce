import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** True for NEXTAUTH_URL's origin, and for the request's own host (another name of this server). */
function isOurs(origin: string, host: string | null): boolean {
  if (origin === new URL(env().NEXTAUTH_URL).origin) return true;
  return host !== null && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Sites of requests from our pages, or from a typed address. */
const OWN_SITES = ["same-origin", "none"];

/**
 * Refuses requests that a foreign page made the browser send with our cookie; reads too, because refusals and device
 * requests are recorded under the person's name. Every browser sends the origin of a write, so a cookie without one is
 * not from our pages.
 * @throws AppError forbidden
 */
export function requireSameOrigin(request: Request, viaCookie: boolean): void {
  if (!viaCookie) return;
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const isForeign = site !== null && !OWN_SITES.includes(site);
  const isOwnWrite = origin === null ? site === "same-origin" : isOurs(origin, request.headers.get("host"));
  if (isForeign || (!SAFE_METHODS.has(request.method) && !isOwnWrite))
    throw new AppError("forbidden", "This request comes from another site.");
}
