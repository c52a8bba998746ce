/** One fixed name: next-auth's own would differ between its versions, and sign all users out. */
const NAME = "trailmark.session";

/** On https no other host of the domain, and no attacker over plain http, can set a cookie of this name. */
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

/** Passes the address of a page from the front to the page, which knows only parts of it. */
export const REQUESTED_PAGE = "x-trailmark-page";
