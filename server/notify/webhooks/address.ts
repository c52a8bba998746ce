import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { env } from "@/server/ground/env";

/** Addresses allowed for webhooks beyond https on the public internet. */
export type Allowed = { privateAddresses: boolean; http: boolean };

export const allowed = (): Allowed => ({
  privateAddresses: env().TRAILMARK_WEBHOOKS_PRIVATE,
  http: env().TRAILMARK_WEBHOOKS_HTTP,
});

/** An address that a webhook may not reach; the message continues "The address". */
export class RefusedAddress extends Error {}

/** IPv6 range of public addresses (RFC 4291, section 2.4); `::7f00:1` once meant 127.0.0.1. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** A public number that reaches the host on every Azure machine. */
const AZURE_HOST = "168.63.129.16";
/** Names local to this host and network: RFC 6761, and `.internal`, where clouds serve a machine's credentials. */
const LOCAL_NAME = /(^|\.)(localhost|internal)\.?$/i;
/** Below are services, besides https and http, that a message could reach by accident. */
const MAX_SYSTEM_PORT = 1023;

/**
 * True for public internet addresses: not loopback, private, link-local, reserved, or leading to one. An IPv4 address
 * wrapped in IPv6 is judged as IPv4.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.toString() === AZURE_HOST) return false;
  return parsed.range() === "unicast" && (!(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_IPV6));
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

/** Ports up to MAX_SYSTEM_PORT that belong to the protocol. */
type Endpoint = { host: string; port: number; own: readonly number[] };

/**
 * Checks host and port of any protocol; names are checked when resolved for the connection.
 * @throws RefusedAddress
 */
export function requireAllowedHost({ host, port, own }: Endpoint, { privateAddresses }: Allowed): void {
  if (privateAddresses) return;
  if (ipaddr.isValid(host) ? !isPublicAddress(host) : LOCAL_NAME.test(host))
    throw new RefusedAddress("is not on the public internet");
  if (!own.includes(port) && port <= MAX_SYSTEM_PORT)
    throw new RefusedAddress(`must use port ${own.join(" or ")} or one above ${MAX_SYSTEM_PORT}`);
}

/**
 * Checks an address; its name is checked when resolved for the connection.
 * @throws RefusedAddress
 */
export function requireAllowed(url: URL, may: Allowed): void {
  if (url.protocol !== "https:" && !(may.http && url.protocol === "http:"))
    throw new RefusedAddress(may.http ? "must begin with https:// or http://" : "must begin with https://");
  if (url.username || url.password) throw new RefusedAddress("must not hold a user name or password");
  // URLs omit the protocol's default port.
  requireAllowedHost({ host: hostOf(url), port: Number(url.port || "443"), own: [443] }, may);
}

/** Reason that a check refuses an address; null if it does not. */
export function refusalBy(check: (may: Allowed) => void): string | null {
  try {
    check(allowed());
    return null;
  } catch (error) {
    return error instanceof RefusedAddress ? error.message : "is no address";
  }
}

/**
 * Looks a name up for a connection and hands over the checked addresses alone: what was checked is what is connected to,
 * regardless of what the name resolves to a moment later. One private address among several refuses all.
 */
export const guardedLookup =
  ({ privateAddresses }: Allowed, resolve: typeof lookup = lookup): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return done(error ?? new Error("no address"), "", 0);
      if (!privateAddresses && !addresses.every(({ address }) => isPublicAddress(address)))
        return done(new RefusedAddress("resolves to one that is not on the public internet"), "", 0);
      return options.all ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
