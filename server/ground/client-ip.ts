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

/**
 * The caller's address (spec, Authentication rule 2): with trust, the first valid address of cf-connecting-ip,
 * x-forwarded-for, x-real-ip in that order, a header without one being skipped; else the socket's alone.
 */
export function clientIp(
  headers: { get(name: string): string | null },
  socketIp: string | null,
  trust: boolean,
): string | null {
  if (trust)
    for (const name of FORWARDING)
      for (const part of headers.get(name)?.split(",") ?? []) {
        const ip = normalizeIp(part);
        if (ip) return ip;
      }
  return normalizeIp(socketIp);
}

let hasWarned = false;

/** Says once where setting and proxy do not fit together: every audit row then has the proxy's address. */
function warnOfProxy(headers: { get(name: string): string | null }, socketIp: string | null, trust: boolean): void {
  if (hasWarned) return;
  const isNamed = FORWARDING.some((name) => headers.get(name) !== null);
  if (isNamed === trust) return;
  const peer = normalizeIp(socketIp);
  // From anywhere else it is a caller's own header, which says nothing of a proxy.
  if (!peer || ipaddr.parse(peer).range() === "unicast") return;
  hasWarned = true;
  if (trust)
    log.warn({ peer }, "TRUST_PROXY_HEADERS is on, and a request named no caller: the peer's address is recorded");
  else log.warn({ peer }, "a proxy names its callers, and TRUST_PROXY_HEADERS is off: the proxy's address is recorded");
}

/** The header in which the front puts the socket's address for the handlers; it overwrites what a client sends. */
export const PEER_HEADER = "x-trailmark-peer";

/** From where a request comes, for audit rows and rate limits. */
export function originOf({ headers }: Request): Pick<Ctx, "ip" | "userAgent"> {
  const { TRUST_PROXY_HEADERS: trust } = env();
  const peer = headers.get(PEER_HEADER);
  warnOfProxy(headers, peer, trust);
  const ip = clientIp(headers, peer, trust);
  return { ip, userAgent: headers.get("user-agent") };
}

const NETWORK_BITS = 64;

/** An address as limits count it: a client with one IPv6 address has all of its /64. */
export function networkOf(ip: string | null): string | null {
  if (!ip || !ipaddr.IPv6.isValid(ip)) return ip;
  return ipaddr.IPv6.networkAddressFromCIDR(`${ip}/${NETWORK_BITS}`).toString();
}
