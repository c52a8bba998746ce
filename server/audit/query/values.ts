/** IP addresses and networks as people write them. Isomorphic: the browser distinguishes a network from a word by it. */

const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;
const HEX_GROUPS = 8;

/** The eight groups of an IPv6 address; null for a text that is none. */
export function groupsOf(text: string): number[] | null {
  const url = `http://[${text}]/`;
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(url)) return null;
  const [head = "", tail] = new URL(url).hostname.slice(1, -1).split("::");
  const parse = (part: string) => (part ? part.split(":").map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [parse(head), parse(tail ?? "")];
  return [...before, ...Array<number>(HEX_GROUPS - before.length - after.length).fill(0), ...after];
}

const isIPv4 = (text: string): boolean => V4.test(text) && !text.endsWith(".");

/** Whether a text is one whole address; an IPv6 one may name its zone (RFC 4007). */
export const isAddress = (text: string): boolean => isIPv4(text) || groupsOf(text.replace(/%[^%]+$/, "")) !== null;

/** A network of addresses: "198.51.100.0/24", "2001:db8::/32". */
export type Network = { address: string; bits: number; version: 4 | 6 };

/** A network in CIDR notation (RFC 4632, RFC 4291); null for a text that is none. */
export function networkOf(text: string): Network | null {
  const [, address = "", digits = ""] = /^([0-9a-f:.]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const bits = Number(digits);
  if (isIPv4(address)) return bits <= 32 ? { address, bits, version: 4 } : null;
  return groupsOf(address) && bits <= 128 ? { address, bits, version: 6 } : null;
}

/** A value: in double quotes, which keep its commas and double those inside, or up to the next comma. Isomorphic. */
const VALUE = /(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g;

/** The values of a filter's text, "failure,denied" or "\"Doe, Jane\",bob"; empty ones are left out. */
export const splitValues = (text: string): string[] =>
  [...text.replace(/^[\s,]+/, "").matchAll(VALUE)]
    .map(([, quoted, bare = ""]) => quoted?.replaceAll('""', '"') ?? bare.trim())
    .filter(Boolean);

const written = (value: string): string => (/[,"]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** The same back as text, each value once. */
export const joinValues = (values: readonly string[]): string => [...new Set(values)].map(written).join(",");

/** More words narrow nothing that fewer would not. */
export const MAX_WORDS = 20;

/** The words and quoted phrases of a text, each once. Isomorphic: the browser highlights them. */
export const wordsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/"([^"]*)"|\S+/g)].map(([word, phrase]) => phrase ?? word).filter(Boolean)),
];
