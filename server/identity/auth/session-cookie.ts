/** A fixed name, because next-auth's changes between versions and would sign everybody out. */
const NAME = "trailmark.session";

/** On https, this prefix keeps other hosts of the domain and plain http from setting the cookie. */
export const sessionCookie = (https: boolean): string => (https ? `__Host-${NAME}` : NAME);

/** The session's token from a request's Cookie header; null without one. */
export function sessionToken(headers: { get(name: string): string | null }, https: boolean): string | null {
  const cookie = sessionCookie(https);
  for (const part of headers.get("cookie")?.split(";") ?? []) {
    const [name, value] = part.trim().split("=", 2);
    if (name === cookie && value) return value;
  }
  return null;
}

/** Passes a page's address from the front to the page, which knows only parts of that address. */
export const REQUESTED_PAGE = "x-trailmark-page";
