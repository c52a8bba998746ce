import { MIN_INDEXED_TERM } from "@/server/audit/vocabulary";
import { repairText } from "@/server/ground/text";
import {
  addRow,
  type Bits,
  type Block,
  CLASS,
  type Class,
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
export const and = (...of: Query[]): Query => ({ op: "and", of });
export const or = (...of: Query[]): Query => ({ op: "or", of });
export const not = (of: Query): Query => ({ op: "not", of });
export const is = (kind: Class, values: readonly string[]): Query => ({ op: "is", kind, values: new Set(values) });
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

export const leavesOf = (query: Query): Leaf[] => {
  if (query.op === "unknown") return [];
  if (query.op === "not") return leavesOf(query.of);
  return query.op === "and" || query.op === "or" ? query.of.flatMap(leavesOf) : [query];
};

export function blocksOf(leaf: Leaf, grams: readonly Grams[]): number[] {
  const holdsOne = (one: Grams): boolean => {
    if (leaf.op === "contains") return mayHold(one, leaf.classes, leaf.text);
    if (leaf.op === "where") return mayHold(one, leaf.kind, "");
    return [...leaf.values].some((value) => mayHold(one, leaf.kind, termOf(leaf.kind, fold(value))));
  };
  return grams.flatMap((one, at) => (holdsOne(one) ? [at] : []));
}

export function addRows(into: Bits, block: Block, leaf: Leaf): void {
  const add = (terms: readonly string[], fits: (term: string) => boolean) => {
    for (const [place, term] of terms.entries()) if (fits(term)) block.addTo(into, place);
  };
  if (leaf.op === "contains") {
    if (block.folded.includes(leaf.text))
      add(block.foldedTerms, (term) => leaf.classes.includes(term.charAt(0)) && term.includes(leaf.text, 1));
    return;
  }
  const fits = leaf.op === "is" ? (value: string) => leaf.values.has(value) : leaf.test;
  add(block.terms, (term) => term.startsWith(leaf.kind) && fits(term.slice(1)));
}

/** Rows that surely match, and rows that may. */
export type Matching = { sure: Bits; maybe: Bits };

function joined(start: Bits, all: readonly Bits[], isAnd: boolean): Bits {
  const bits = start.slice();
  for (const one of all)
    for (let at = 0; at < bits.length; at++) {
      const [a, b] = [bits[at] ?? 0, one[at] ?? 0];
      bits[at] = isAnd ? a & b : a | b;
    }
  return bits;
}

/** Difference of two sets of rows. */
export function without(bits: Bits, others: Bits): Bits {
  const rest = bits.slice();
  for (let at = 0; at < rest.length; at++) rest[at] = (rest[at] ?? 0) & ~(others[at] ?? 0);
  return rest;
}

/** Evaluates a query, given the rows of its leaves; `all` has a bit for each existing row. */
export function evaluate(query: Query, rowsOf: (leaf: Leaf) => Bits, all: Bits): Matching {
  switch (query.op) {
    case "unknown":
      return { sure: new Uint8Array(all.length), maybe: all };
    case "not": {
      const { sure, maybe } = evaluate(query.of, rowsOf, all);
      return { sure: without(all, maybe), maybe: without(all, sure) };
    }
    case "and":
    case "or": {
      const isAnd = query.op === "and";
      const found = query.of.map((one) => evaluate(one, rowsOf, all));
      const join = (sets: Bits[]) => joined(isAnd ? all : new Uint8Array(all.length), sets, isAnd);
      return { sure: join(found.map(({ sure }) => sure)), maybe: join(found.map(({ maybe }) => maybe)) };
    }
    default: {
      const bits = rowsOf(query);
      return { sure: bits, maybe: bits };
    }
  }
}

export function allBits(rows: number): Bits {
  const bits = noBits(rows).fill(0xff);
  if (rows % 8 > 0) bits[bits.length - 1] = (1 << (rows % 8)) - 1;
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
  for (let at = 0; at < bits.length; at++) for (let byte = bits[at] ?? 0; byte !== 0; byte &= byte - 1) count++;
  return count;
}
