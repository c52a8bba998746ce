import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { env } from "@/server/ground/env";

/** What the operator lets webhooks reach beyond https on the public internet. */
export type Allowed = { privateAddresses: boolean; http: boolean };

export const allowed = (): Allowed => ({
  privateAddresses: env().TRAILMARK_WEBHOOKS_PRIVATE,
  http: env().TRAILMARK_WEBHOOKS_HTTP,
});

/** An address that a webhook may not reach; the message continues "The address". */
export class RefusedAddress extends Error {}

/** Of IPv6 only these are given out as public addresses (RFC 4291, section 2.4); `::7f00:1` once meant 127.0.0.1. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address is one of the public internet: not loopback, private, link-local, reserved, or a way to such. An
 * IPv4 address wrapped in an IPv6 one is judged as what it wraps.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === "unicast" && (!(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_IPV6));
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

/**
 * Checks what the address alone shows; names are checked when they are looked up for the connection.
 * @throws RefusedAddress
 */
export function requireAllowed(url: URL, { privateAddresses, http }: Allowed): void {
  if (url.protocol !== "https:" && !(http && url.protocol === "http:"))
    throw new RefusedAddress(http ? "must begin with https:// or http://" : "must begin with https://");
  if (url.username || url.password) throw new RefusedAddress("must not hold a user name or password");
  const host = hostOf(url);
  if (privateAddresses) return;
  if (ipaddr.isValid(host) ? !isPublicAddress(host) : /(^|\.)localhost\.?$/i.test(host))
    throw new RefusedAddress("is not on the public internet");
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
