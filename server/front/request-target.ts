/**
 * Path and query of a request's target (RFC 9112, section 3.2). Proxies write the address out in full, which is the same
 * when it names this server.
 * @returns null for `*`, another host's address and whatever else names nothing here
 */
export function pathOf(target: string, origin: string): string | null {
  if (target.startsWith("/")) return target;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return null;
  const url = new URL(target);
  return url.host === new URL(origin).host && !url.username && !url.password ? url.pathname + url.search : null;
}
