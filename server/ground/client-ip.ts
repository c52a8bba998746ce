import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import type { Ctx } from "./context";
import { env } from "./env";
import { log } from "./log";

const FORWARDING = ["cf-connecting-ip", "x-forwarded-for", "x-real-ip"] as const;

/** The one spelling of an address: IPv4 mapped into IPv6 as plain IPv4; null when it is none. */
function normalizeIp(text: string | null | undefined): string | null {
  // Most addresses are plain IPv4; what follows takes longer than all else that is read of a request's head.
  if (text && isIPv4(text)) return text;
  const bare = text
    ?.trim()
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .split("%")[0];
  if (!bare || !ipaddr.isValid(bare) || (!bare.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(bare))) return null;
  return ipaddr.process(bare).toString();
}

/** A request's headers, whether as the web or as the front has them. */
type NamedHeaders = { get(name: string): string | null };

/**
 * The headers that may name the caller (spec, Authentication rule 2): the one that the operator names, else with trust
 * those that common proxies set.
 */
function forwardingHeaders(): readonly string[] {
  const { TRAILMARK_CLIENT_IP_HEADER: named, TRUST_PROXY_HEADERS: trust } = env();
  if (named) return [named];
  return trust ? FORWARDING : [];
}

/** The first valid address of these headers in their order, a header without one being skipped; else the socket's. */
export function clientIp(headers: NamedHeaders, socketIp: string | null, names: readonly string[]): string | null {
  for (const name of names)
    for (const part of headers.get(name)?.split(",") ?? []) {
      const ip = normalizeIp(part);
      if (ip) return ip;
    }
  return normalizeIp(socketIp);
}

let hasWarned = false;

/** Says once where setting and proxy do not fit together: every audit row then has the proxy's address. */
function warnOfProxy(headers: NamedHeaders, socketIp: string | null, names: readonly string[]): void {
  if (hasWarned) return;
  const trust = names.length > 0;
  const isNamed = (trust ? names : FORWARDING).some((name) => headers.get(name) !== null);
  if (isNamed === trust) return;
  const peer = normalizeIp(socketIp);
  // From anywhere else it is a caller's own header, which says nothing of a proxy.
  if (!peer || ipaddr.parse(peer).range() === "unicast") return;
  hasWarned = true;
  if (trust)
    log.warn({ peer }, "proxy headers are trusted, and a request named no caller: the peer's address is recorded");
  else log.warn({ peer }, "a proxy names its callers, and TRUST_PROXY_HEADERS is off: the proxy's address is recorded");
}

/** The header in which the front puts the socket's address for the handlers; it overwrites what a client sends. */
export const PEER_HEADER = "x-trailmark-peer";

/** From where a request comes, for audit rows and rate limits. */
export function originOf({ headers }: { headers: NamedHeaders }): Pick<Ctx, "ip" | "userAgent"> {
  const names = forwardingHeaders();
  const peer = headers.get(PEER_HEADER);
  warnOfProxy(headers, peer, names);
  const ip = clientIp(headers, peer, names);
  return { ip, userAgent: headers.get("user-agent") };
}

const NETWORK_BITS = 64;

/** An address as limits count it: a client with one IPv6 address has all of its /64. */
export function networkOf(ip: string | null): string | null {
  if (!ip || !ipaddr.IPv6.isValid(ip)) return ip;
  return ipaddr.IPv6.networkAddressFromCIDR(`${ip}/${NETWORK_BITS}`).toString();
}
