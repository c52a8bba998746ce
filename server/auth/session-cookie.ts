/** One fixed name: next-auth's own would change its prefix with NEXTAUTH_URL, and sign everybody out. */
export const SESSION_COOKIE = "trailmark.session";

/** The session's token from a request's Cookie header; null without one. */
export function sessionToken(headers: { get(name: string): string | null }): string | null {
  for (const part of headers.get("cookie")?.split(";") ?? []) {
    const [name, value] = part.trim().split("=", 2);
    if (name === SESSION_COOKIE && value) return value;
  }
  return null;
}

/** Carries the address of a page from the front to the page, which knows only its own parts of it. */
export const REQUESTED_PAGE = "x-trailmark-page";
