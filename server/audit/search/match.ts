import { MIN_INDEXED_TERM } from "@/server/audit/vocabulary";
import { repairText } from "@/server/ground/text";
import {
  addRow,
  type Bits,
  type Block,
  CLASS,
  type Class,
  END,
  fold,
  type Grams,
  isAscii,
  mayHold,
  noBits,
  termOf,
  wordsIn,
} from "./format";

/** Selects rows by a term: value contains a folded text, is in a list, or passes a test. */
export type Leaf =
  | { op: "contains"; classes: string; text: string }
  | { op: "is"; kind: Class; values: ReadonlySet<string> }
  | { op: "where"; kind: Class; test: (value: string) => boolean };

/** Index query. Rows under "unknown" cannot be decided by terms and are read. */
export type Query =
  | Leaf
  | { op: "and"; of: readonly Query[] }
  | { op: "or"; of: readonly Query[] }
  | { op: "not"; of: Query }
  | { op: "unknown" };

const UNKNOWN: Query = { op: "unknown" };
const NOTHING: Query = { op: "or", of: [] };
export const and = (...of: Query[]): Query => (of.includes(NOTHING) ? NOTHING : { op: "and", of });
export function or(...of: Query[]): Query {
  const some = of.filter((one) => one !== NOTHING);
  return some.length > 0 ? { op: "or", of: some } : NOTHING;
}
export const not = (of: Query): Query => ({ op: "not", of });
export const is = (kind: Class, values: readonly string[]): Query =>
  values.length > 0 ? { op: "is", kind, values: new Set(values) } : NOTHING;
export const where = (kind: Class, test: (value: string) => boolean): Query => ({ op: "where", kind, test });
/** At most these rows, each to be read. */
export const perhaps = (query: Query = UNKNOWN): Query => and(query, UNKNOWN);

/** Folding is coarser than the database for non-ASCII letters, so those rows are read. */
const unlessRough = (query: Query): Query => and(query, or(not(is(CLASS.rough, [""])), UNKNOWN));

const contains = (classes: string, text: string): Query =>
  text.length < MIN_INDEXED_TERM ? UNKNOWN : { op: "contains", classes, text };

/** Query for rows with a text in whole values of some classes, or in the words of other classes. */
export function holds(text: string, { whole, words }: { whole: readonly Class[]; words: readonly Class[] }): Query {
  const folded = fold(repairText(text));
  const parts = wordsIn(folded);
  const inWhole = whole.length > 0 ? [contains(whole.join(""), folded)] : [];
  const isWord = parts.length === 1 && parts[0] === folded;
  const long = parts.filter((part) => part.length >= MIN_INDEXED_TERM);
  const inWords = words.map((kind) => {
    const all = long.map((part) => contains(kind, part));
    return isWord && all.length > 0 ? and(...all) : perhaps(and(...all));
  });
  const query = or(...inWhole, ...inWords);
  return isAscii(text) ? unlessRough(query) : perhaps(query);
}

/** True if the query excludes rows unread; `isNot` asks about its negation. */
export function narrows(query: Query, isNot = false): boolean {
  switch (query.op) {
    case "unknown":
      return false;
    case "not":
      return narrows(query.of, !isNot);
    case "and":
    case "or": {
      const each = (one: Query) => narrows(one, isNot);
      return (query.op === "and") === isNot ? query.of.every(each) : query.of.some(each);
    }
    default:
      return true;
  }
}

/** Leaves that must be read to decide a query; `canMatch` is false for leaves without rows. */
export function leavesOf(query: Query, canMatch: (leaf: Leaf) => boolean = () => true): Leaf[] {
  const isPossible = (one: Query): boolean => {
    if (one.op === "unknown" || one.op === "not") return true;
    if (one.op === "and") return one.of.every(isPossible);
    return one.op === "or" ? one.of.some(isPossible) : canMatch(one);
  };
  if (query.op === "unknown" || !isPossible(query)) return [];
  if (query.op === "not") return leavesOf(query.of, canMatch);
  return query.op === "and" || query.op === "or" ? query.of.flatMap((one) => leavesOf(one, canMatch)) : [query];
}

export function blocksOf(leaf: Leaf, grams: readonly Grams[]): number[] {
  const holdsOne = (one: Grams): boolean => {
    if (leaf.op === "contains") return mayHold(one, leaf.classes, leaf.text);
    if (leaf.op === "where") return mayHold(one, leaf.kind, "");
    return [...leaf.values].some((value) => mayHold(one, leaf.kind, termOf(leaf.kind, fold(value))));
  };
  return grams.flatMap((one, at) => (holdsOne(one) ? [at] : []));
}

/** Adds the rows of a block's terms that match. */
export function addRows(into: Bits, block: Block, leaf: Leaf): void {
  if (leaf.op === "contains") {
    for (const [place, term] of block.termsWith(leaf.text, block.folded))
      if (leaf.classes.includes(term.charAt(0)) && term.includes(leaf.text, 1)) block.addTo(into, place);
    return;
  }
  const fits = leaf.op === "is" ? (value: string) => leaf.values.has(value) : leaf.test;
  for (const [place, term] of block.termsWith(END + leaf.kind)) if (fits(term.slice(1))) block.addTo(into, place);
}

/** Rows that surely match, and rows that may. */
export type Matching = { sure: Bits; maybe: Bits };

/** The empty set, which most segments give most terms. */
export const NO_ROWS: Bits = new Uint8Array();

/** Sets are whole words long, so that they are combined a word at a time. */
const wordsOf = (bits: Bits): Int32Array => new Int32Array(bits.buffer, bits.byteOffset, bits.length / 4);

function combined(isAnd: boolean, sets: readonly Bits[], all: Bits): Bits {
  const [deciding, neutral] = isAnd ? [NO_ROWS, all] : [all, NO_ROWS];
  if (sets.includes(deciding)) return deciding;
  const [first = neutral, ...others] = sets.filter((set) => set !== neutral);
  if (others.length === 0) return first;
  const bits = first.slice();
  const words = wordsOf(bits);
  for (const other of others.map(wordsOf))
    for (let at = 0; at < words.length; at++) words[at] = isAnd ? words[at]! & other[at]! : words[at]! | other[at]!;
  return bits;
}

/** Difference of two sets of rows. */
export function without(bits: Bits, others: Bits): Bits {
  if (bits === NO_ROWS || bits === others) return NO_ROWS;
  if (others === NO_ROWS) return bits;
  const rest = bits.slice();
  const [words, gone] = [wordsOf(rest), wordsOf(others)];
  for (let at = 0; at < words.length; at++) words[at]! &= ~gone[at]!;
  return rest;
}

/** Evaluates a query, given the rows of its leaves; `all` has a bit for each existing row. */
export function evaluate(query: Query, rowsOf: (leaf: Leaf) => Bits, all: Bits): Matching {
  switch (query.op) {
    case "unknown":
      return { sure: NO_ROWS, maybe: all };
    case "not": {
      const { sure, maybe } = evaluate(query.of, rowsOf, all);
      return { sure: without(all, maybe), maybe: without(all, sure) };
    }
    case "and":
    case "or": {
      const found = query.of.map((one) => evaluate(one, rowsOf, all));
      const sets = (kind: keyof Matching) =>
        combined(
          query.op === "and",
          found.map((one) => one[kind]),
          all,
        );
      const sure = sets("sure");
      return { sure, maybe: found.every((one) => one.sure === one.maybe) ? sure : sets("maybe") };
    }
    default: {
      const bits = rowsOf(query);
      return { sure: bits, maybe: bits };
    }
  }
}

export function allBits(rows: number): Bits {
  const bits = noBits(rows).fill(0xff, 0, Math.ceil(rows / 8));
  if (rows % 8 > 0) bits[rows >> 3] = (1 << (rows % 8)) - 1;
  return bits;
}

/** Keeps the rows that pass a test. */
export function keepRows(bits: Bits, fits: (row: number) => boolean): Bits {
  const kept = new Uint8Array(bits.length);
  for (const row of rowsIn(bits)) if (fits(row)) addRow(kept, row);
  return kept;
}

export function rowsIn(bits: Bits): number[] {
  const rows: number[] = [];
  for (let at = 0; at < bits.length; at++)
    for (let byte = bits[at] ?? 0; byte !== 0; byte &= byte - 1) rows.push(at * 8 + (31 - Math.clz32(byte & -byte)));
  return rows;
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (let word of wordsOf(bits)) for (; word !== 0; word &= word - 1) count++;
  return count;
}
