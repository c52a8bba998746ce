import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type IndexedRow, mergeSegments, SegmentBuilder } from "./build";
import {
  Block,
  type BlockBytes,
  CLASS,
  decodeTimes,
  encodeTimes,
  hasRow,
  noBits,
  type SegmentBytes,
  splitGrams,
} from "./format";
import {
  addRows,
  allBits,
  and,
  blocksOf,
  evaluate,
  holds,
  is,
  type Leaf,
  not,
  or,
  type Query,
  rowsIn,
  where,
} from "./match";

const TEXTS = [
  "a b",
  "Device",
  "WS-00196",
  "é",
  "e\u0301",
  "Σ",
  "ς",
  "ß",
  "İ",
  "日本",
  "{",
  "\\",
  "10.0.1",
  "deadbeef",
  "\u212a",
];
const text = fc.array(fc.constantFrom(...TEXTS, "-", " ", "x"), { maxLength: 6 }).map((parts) => parts.join(""));
const nullable = fc.option(text, { nil: null });
const row: fc.Arbitrary<IndexedRow> = fc.record({
  ms: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
  action: fc.constantFrom("user.login", "device.create", "Data.Export"),
  result: fc.constantFrom("success", "denied"),
  actorType: fc.constantFrom("user", "agent"),
  actorId: fc.constantFrom(null, "0192f0a0-0000-7000-8000-00000000abcd", "0192f0a0-0000-7000-8000-00000000abce"),
  rawActorId: nullable,
  email: nullable,
  resourceType: fc.constantFrom("device", "os"),
  resourceId: fc.constant(null),
  resourceName: nullable,
  address: fc.constantFrom(null, "10.0.0.1", "::ffff:10.0.0.1"),
  submitted: fc.constantFrom(null, ""),
  error: nullable,
  details: fc.option(
    text.map((note) => JSON.stringify({ note })),
    { nil: null },
  ),
});

const built = (first: number, rows: readonly IndexedRow[]): SegmentBytes => {
  const builder = new SegmentBuilder(first);
  for (const one of rows) builder.add(one);
  return builder.finish();
};

/** The rows of a query, of blocks that the grams do not refuse. */
function matchSegment({ rows, grams, blocks }: SegmentBytes, query: Query) {
  const bitmaps = splitGrams(grams);
  const rowsOf = (leaf: Leaf) => {
    const bits = noBits(rows);
    for (const at of blocksOf(leaf, bitmaps)) addRows(bits, new Block(blocks[at] as BlockBytes), leaf);
    return bits;
  };
  return evaluate(query, rowsOf, allBits(rows));
}

/** What the database says of a text: its lower() with the letters' simple pairs, and the normal form where one is asked for. */
const has = (value: string | null, part: string): boolean =>
  value?.normalize("NFC").toLowerCase().includes(part.normalize("NFC").toLowerCase()) ?? false;

const IN = { whole: [CLASS.action, CLASS.email, CLASS.resourceName], words: [CLASS.detail] };
type Ask = { query: Query; isTrue: (row: IndexedRow) => boolean };
const simple: fc.Arbitrary<Ask> = fc.oneof(
  text.filter(Boolean).map(
    (part): Ask => ({
      query: holds(part, IN),
      isTrue: (one) => [one.action, one.email, one.resourceName, one.details].some((value) => has(value, part)),
    }),
  ),
  fc
    .constantFrom("success", "denied", "succ")
    .map((result): Ask => ({ query: is(CLASS.result, [result]), isTrue: (one) => one.result === result })),
  fc
    .constantFrom("device", "os")
    .map((type): Ask => ({ query: is(CLASS.resourceType, [type]), isTrue: (one) => one.resourceType === type })),
  fc.constant<Ask>({
    query: where(CLASS.address, (ip) => ip.startsWith("10.")),
    isTrue: (one) => one.address?.startsWith("10.") ?? false,
  }),
);
const ask: fc.Arbitrary<Ask> = fc.letrec<{ ask: Ask }>((tie) => ({
  ask: fc.oneof(
    { maxDepth: 3 },
    simple,
    tie("ask").map(({ query, isTrue }) => ({ query: not(query), isTrue: (one: IndexedRow) => !isTrue(one) })),
    fc.tuple(tie("ask"), tie("ask")).map(([a, b]) => ({
      query: and(a.query, b.query),
      isTrue: (one: IndexedRow) => a.isTrue(one) && b.isTrue(one),
    })),
    fc.tuple(tie("ask"), tie("ask")).map(([a, b]) => ({
      query: or(a.query, b.query),
      isTrue: (one: IndexedRow) => a.isTrue(one) || b.isTrue(one),
    })),
  ),
})).ask;

describe("a search segment", () => {
  it("never claims a wrong row and never misses a matching one", () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 60 }),
        fc.array(ask, { minLength: 5, maxLength: 5 }),
        (rows, asks) => {
          const segment = built(7, rows);
          for (const { query, isTrue } of asks) {
            const { sure, maybe } = matchSegment(segment, query);
            for (const [at, one] of rows.entries()) {
              if (hasRow(sure, at)) expect(isTrue(one)).toBe(true);
              if (!hasRow(maybe, at)) expect(isTrue(one)).toBe(false);
            }
            expect(hasRow(maybe, rows.length)).toBe(false);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("answers plain words without reading rows", () => {
    const rows = ["WS-1 reboot", "ws-12", "other"].map(
      (note) =>
        ({
          ...fc.sample(row, 1)[0],
          error: null,
          email: null,
          rawActorId: null,
          address: null,
          resourceName: null,
          details: JSON.stringify({ note }),
        }) as IndexedRow,
    );
    const { sure, maybe } = matchSegment(built(1, rows), holds("Ws-1", IN));
    expect(rowsIn(sure)).toEqual([0, 1]);
    expect(maybe).toEqual(sure);
  });

  it("has the same bytes when built from rows and when merged", () => {
    fc.assert(
      fc.property(fc.array(fc.array(row, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 5 }), (parts) => {
        let first = 1_000;
        const segments = parts.map((rows) => {
          const one = built(first, rows);
          first += rows.length;
          return one;
        });
        expect(mergeSegments(segments)).toEqual(built(1_000, parts.flat()));
      }),
      { numRuns: 100 },
    );
  });

  it("searches many blocks and skips most of them unread", () => {
    const base = {
      ...(fc.sample(row, 1)[0] as IndexedRow),
      email: null,
      error: null,
      resourceName: null,
      rawActorId: null,
    };
    const id = (n: number) =>
      ((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0") + n.toString(16).padStart(8, "0");
    const rows = Array.from({ length: 9_000 }, (_, n) => ({
      ...base,
      ms: n,
      details: `{"id": "${id(n)}", "n": ${n % 10}}`,
    }));
    const segment = built(1, rows);
    expect(segment.blocks.length).toBeGreaterThan(4);
    const found = matchSegment(segment, holds(id(4_321), IN));
    expect([...found.sure.entries()].filter(([, byte]) => byte).map(([at]) => at)).toEqual([4_321 >> 3]);
  });

  it("stores times in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4e12 })), (times) => {
        expect([...decodeTimes(encodeTimes(times), times.length)]).toEqual(times);
      }),
    );
  });
});
