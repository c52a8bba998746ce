import { groupsOf, type Network, networkOf } from "./network";

/** The first two parts of an address, with the separators after them: what the index tags it by (audit_search_make). */
export const PREFIX_PARTS = /^[^.:]*[.:][^.:]*[.:]/;

/** Shorter networks hold more pairs of first parts than narrow anything. */
const MIN_BITS = { 4: 7, 6: 32 } as const;

function pairsOfV4({ address, bits }: Network): string[] {
  const [a = 0, b = 0] = address.split(".").map(Number);
  const pair = a * 256 + b;
  const span = bits >= 16 ? 1 : 2 ** (16 - bits);
  const first = Math.floor(pair / span) * span;
  return Array.from({ length: span }, (_, i) => `${Math.floor((first + i) / 256)}.${(first + i) % 256}.`);
}

/** "::" may stand for the second group, or for both. */
function pairsOfV6(address: string): string[] {
  const [a = 0, b = 0] = groupsOf(address) ?? [];
  const [first, second] = [a.toString(16), b.toString(16)];
  return [`${first}:${second}:`, ...(b === 0 ? [`${first}::`] : []), ...(a === 0 ? ["::"] : [])];
}

/** The tags of the addresses in a network, or of an IPv6 address; null for anything else, and where they are too many. */
export function networkTags(text: string): string[] | null {
  const network = networkOf(text) ?? (groupsOf(text) ? { address: text, bits: 128, version: 6 as const } : null);
  if (!network || network.bits < MIN_BITS[network.version]) return null;
  const pairs = network.version === 4 ? pairsOfV4(network) : pairsOfV6(network.address);
  return pairs.map((pair) => `net:${pair}`);
}
