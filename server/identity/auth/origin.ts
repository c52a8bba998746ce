import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** True for NEXTAUTH_URL's origin, and for the host that the request itself was sent to (another name of this server). */
function isOurs(origin: string, host: string | null): boolean {
  if (origin === new URL(env().NEXTAUTH_URL).origin) return true;
  return host !== null && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/**
 * Refuses a write that a foreign page made the browser send with our cookie. Every browser says where a write comes
 * from; a request with the cookie that does not is not from our pages.
 * @throws AppError forbidden
 */
export function requireSameOrigin(request: Request, viaCookie: boolean): void {
  if (!viaCookie || SAFE_METHODS.has(request.method)) return;
  const origin = request.headers.get("origin");
  const ours =
    origin === null
      ? request.headers.get("sec-fetch-site") === "same-origin"
      : isOurs(origin, request.headers.get("host"));
  if (!ours) throw new AppError("forbidden", "This request comes from another site.");
}
