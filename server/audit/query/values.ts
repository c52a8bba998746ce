/** IP addresses and networks as people write them. Isomorphic: the browser distinguishes a network from a word by it. */

const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;
const HEX_GROUPS = 8;

/** The eight groups of an IPv6 address; null for a text that is none. */
function groupsOf(text: string): number[] | null {
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

/** A zone or the length of a network behind an address. */
const SUFFIX = /[%/][^%/]+$/;
const MAPPED = "0:0:0:0:0:ffff:";

/**
 * An address in one form: without zone and length, and as itself where it is an IPv4 address that IPv6 maps (RFC 4291);
 * null for a text that is none. What audit_address() says in the database.
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

/** Prefixes of addresses that begin with a text: as they are written, and where IPv6 maps them. */
export const beginningsOf = (text: string): string[] => [text, `::ffff:${text}`];

/** The bits of a plain address, sixteen at a time. */
const sixteens = (plain: string): number[] => {
  if (plain.includes(":")) return plain.split(":").map((group) => Number.parseInt(group, 16));
  const [a = 0, b = 0, c = 0, d = 0] = plain.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
};

/** Whether an address, however it is written, is in a network. */
export function isInNetwork(text: string, { address, bits, version }: Network): boolean {
  const plain = plainAddress(text);
  if (!plain || plain.includes(":") !== (version === 6)) return false;
  const own = groupsOf(address) ?? sixteens(address);
  return sixteens(plain).every((group, at) => {
    const open = 16 - Math.min(16, Math.max(0, bits - 16 * at));
    return group >> open === (own[at] ?? 0) >> open;
  });
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

const WORD = '(?:"[^"]*"|[^\\s"|]+)';
/** Several words or quoted phrases of which one suffices: disable|"turned off". */
const CHOICE = `${WORD}(?:\\|${WORD})+`;
const TERM = new RegExp(`${CHOICE}(?=\\s|$)|"[^"]*"|\\S+`, "g");
const IS_CHOICE = new RegExp(`^${CHOICE}$`);

/** The terms of a search as they are typed. */
export const splitTerms = (text: string): string[] => text.match(TERM) ?? [];

/** The words and phrases of a term, of which an entry has to hold one. */
export const choicesOf = (term: string): string[] =>
  (IS_CHOICE.test(term) ? (term.match(/"[^"]*"|[^|]+/g) ?? []) : [term])
    .map((one) => /^"([^"]*)"$/.exec(one)?.[1] ?? one)
    .filter(Boolean);

/** The terms of a search, each once: of each an entry has to hold one word or phrase. Isomorphic: the browser marks them. */
export const termsOf = (text: string): string[][] =>
  [...new Set(splitTerms(text))].map(choicesOf).filter((choices) => choices.length > 0);

/** The words and quoted phrases of a text, each once. */
export const wordsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/"([^"]*)"|\S+/g)].map(([word, phrase]) => phrase ?? word).filter(Boolean)),
];
