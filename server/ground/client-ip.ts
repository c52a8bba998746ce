import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import type { Ctx } from "./context";
import { env } from "./env";
import { log } from "./log";

const FORWARDING = ["cf-connecting-ip", "x-forwarded-for", "x-real-ip"] as const;

/** Canonical form of an address: IPv4-mapped IPv6 as IPv4; null if invalid. */
function normalizeIp(text: string | null | undefined): string | null {
  // Fast path: most addresses are plain IPv4, and the rest costs more than parsing all other headers.
  if (text && isIPv4(text)) return text;
  const bare = text
    ?.trim()
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .split("%")[0];
  if (!bare || !ipaddr.isValid(bare) || (!bare.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(bare))) return null;
  return ipaddr.process(bare).toString();
}

/** Headers of a request, from the web or the front. */
type NamedHeaders = { get(name: string): string | null };

/**
 * Headers that may identify the caller (spec, Authentication rule 2): the operator's, or with trust those of common
 * proxies.
 */
function forwardingHeaders(): readonly string[] {
  const { TRAILMARK_CLIENT_IP_HEADER: named, TRUST_PROXY_HEADERS: trust } = env();
  if (named) return [named];
  return trust ? FORWARDING : [];
}

/** First valid address in these headers, in order; else the socket's. */
export function clientIp(headers: NamedHeaders, socketIp: string | null, names: readonly string[]): string | null {
  for (const name of names)
    for (const part of headers.get(name)?.split(",") ?? []) {
      const ip = normalizeIp(part);
      if (ip) return ip;
    }
  return normalizeIp(socketIp);
}

let hasWarned = false;

/** Warns once if setting and proxy do not match: every audit row would have the proxy's address. */
function warnOfProxy(headers: NamedHeaders, socketIp: string | null, names: readonly string[]): void {
  if (hasWarned) return;
  const trust = names.length > 0;
  const isNamed = (trust ? names : FORWARDING).some((name) => headers.get(name) !== null);
  if (isNamed === trust) return;
  const peer = normalizeIp(socketIp);
  // From a public address it is the caller's own header, not a proxy's.
  if (!peer || ipaddr.parse(peer).range() === "unicast") return;
  hasWarned = true;
  if (trust)
    log.warn({ peer }, "proxy headers are trusted, and a request named no caller: the peer's address is recorded");
  else log.warn({ peer }, "a proxy names its callers, and TRUST_PROXY_HEADERS is off: the proxy's address is recorded");
}

/** Header with the socket's address, set by the front over any client value. */
export const PEER_HEADER = "x-trailmark-peer";

/** Address of a request, for audit rows and rate limits. */
export function originOf({ headers }: { headers: NamedHeaders }): Pick<Ctx, "ip" | "userAgent"> {
  const names = forwardingHeaders();
  const peer = headers.get(PEER_HEADER);
  warnOfProxy(headers, peer, names);
  const ip = clientIp(headers, peer, names);
  return { ip, userAgent: headers.get("user-agent") };
}

const NETWORK_BITS = 64;

/** An address for limits: an IPv6 client has a whole /64. */
export function networkOf(ip: string | null): string | null {
  if (!ip || !ipaddr.IPv6.isValid(ip)) return ip;
  return ipaddr.IPv6.networkAddressFromCIDR(`${ip}/${NETWORK_BITS}`).toString();
}
