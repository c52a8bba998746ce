/** IP addresses and networks as people write them. Isomorphic: the browser uses it to tell a network from a word. */

const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;
const HEX_GROUPS = 8;

/** The eight groups of an IPv6 address; null for any other text. */
function groupsOf(text: string): number[] | null {
  const url = `http://[${text}]/`;
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(url)) return null;
  const [head = "", tail] = new URL(url).hostname.slice(1, -1).split("::");
  const parse = (part: string) => (part ? part.split(":").map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [parse(head), parse(tail ?? "")];
  return [...before, ...Array<number>(HEX_GROUPS - before.length - after.length).fill(0), ...after];
}

const isIPv4 = (text: string): boolean => V4.test(text) && !text.endsWith(".");

/** True for one whole address; IPv6 may include a zone (RFC 4007). */
export const isAddress = (text: string): boolean => isIPv4(text) || groupsOf(text.replace(/%[^%]+$/, "")) !== null;

/** A network of addresses: "198.51.100.0/24", "2001:db8::/32". */
export type Network = { address: string; bits: number; version: 4 | 6 };

/** Parses CIDR notation (RFC 4632, RFC 4291); null for any other text. */
export function networkOf(text: string): Network | null {
  const [, address = "", digits = ""] = /^([0-9a-f:.]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const bits = Number(digits);
  if (isIPv4(address)) return bits <= 32 ? { address, bits, version: 4 } : null;
  return groupsOf(address) && bits <= 128 ? { address, bits, version: 6 } : null;
}

/** Zone or prefix length after an address. */
const SUFFIX = /[%/][^%/]+$/;
const MAPPED = "0:0:0:0:0:ffff:";

/**
 * Normalizes an address: no zone or length, IPv4-mapped IPv6 as IPv4 (RFC 4291); null for any other text. Equals
 * audit_address() in the database.
 */
export function plainAddress(text: string): string | null {
  const bare = text.replace(SUFFIX, "");
  if (isIPv4(bare)) return bare;
  const groups = groupsOf(bare);
  if (!groups) return null;
  const plain = groups.map((group) => group.toString(16)).join(":");
  const [high = 0, low = 0] = groups.slice(-2);
  return plain.startsWith(MAPPED) ? `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}` : plain;
}

/** Address prefixes for a text: as written, and IPv4-mapped. */
export const beginningsOf = (text: string): string[] => [text, `::ffff:${text}`];

/** 16-bit groups of a plain address. */
const sixteens = (plain: string): number[] => {
  if (plain.includes(":")) return plain.split(":").map((group) => Number.parseInt(group, 16));
  const [a = 0, b = 0, c = 0, d = 0] = plain.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
};

/** True if an address in any notation is in a network. */
export function isInNetwork(text: string, { address, bits, version }: Network): boolean {
  const plain = plainAddress(text);
  if (!plain || plain.includes(":") !== (version === 6)) return false;
  const own = groupsOf(address) ?? sixteens(address);
  return sixteens(plain).every((group, at) => {
    const open = 16 - Math.min(16, Math.max(0, bits - 16 * at));
    return group >> open === (own[at] ?? 0) >> open;
  });
}

/** A value in double quotes (commas allowed, quotes doubled) or up to the next comma. Isomorphic. */
const VALUE = /(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g;

/** Splits a filter's text: "failure,denied" or "\"Doe, Jane\",bob"; drops empty values. */
export const splitValues = (text: string): string[] =>
  [...text.replace(/^[\s,]+/, "").matchAll(VALUE)]
    .map(([, quoted, bare = ""]) => quoted?.replaceAll('""', '"') ?? bare.trim())
    .filter(Boolean);

const written = (value: string): string => (/[,"]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** Joins distinct values to a filter's text. */
export const joinValues = (values: readonly string[]): string => [...new Set(values)].map(written).join(",");

/** Further words hardly narrow a search. */
export const MAX_WORDS = 20;

const WORD = '(?:"[^"]*"|[^\\s"|]+)';
/** Alternatives, one of which must occur: disable|"turned off". */
const CHOICE = `${WORD}(?:\\|${WORD})+`;
const TERM = new RegExp(`${CHOICE}(?=\\s|$)|"[^"]*"|\\S+`, "g");
const IS_CHOICE = new RegExp(`^${CHOICE}$`);

/** Terms of a search as typed. */
export const splitTerms = (text: string): string[] => text.match(TERM) ?? [];

/** Alternatives of a term; an entry must contain one. */
export const choicesOf = (term: string): string[] =>
  (IS_CHOICE.test(term) ? (term.match(/"[^"]*"|[^|]+/g) ?? []) : [term])
    .map((one) => /^"([^"]*)"$/.exec(one)?.[1] ?? one)
    .filter(Boolean);

/** Distinct terms of a search, each with its alternatives. Isomorphic: the browser highlights them. */
export const termsOf = (text: string): string[][] =>
  [...new Set(splitTerms(text))].map(choicesOf).filter((choices) => choices.length > 0);

/** Distinct words and quoted phrases of a text. */
export const wordsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/"([^"]*)"|\S+/g)].map(([word, phrase]) => phrase ?? word).filter(Boolean)),
];
