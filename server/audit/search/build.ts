import {
  Block,
  type BlockBytes,
  CLASS,
  type Class,
  decodeTimes,
  fold,
  isAscii,
  type SegmentBytes,
  wordsIn,
  writeSegment,
} from "./format";

/** The columns that the index reads. */
export type IndexedRow = {
  /** Milliseconds since 1970 UTC. */
  ms: number;
  action: string;
  result: string;
  actorType: string;
  actorId: string | null;
  rawActorId: string | null;
  email: string | null;
  resourceType: string;
  resourceId: string | null;
  resourceName: string | null;
  address: string | null;
  /** An empty text where a key has submitted the row. */
  submitted: string | null;
  error: string | null;
  details: string | null;
};

/** The members that are terms as they are. */
const WHOLE = [
  "action",
  "result",
  "actorType",
  "actorId",
  "rawActorId",
  "email",
  "resourceType",
  "resourceId",
  "resourceName",
  "address",
  "submitted",
] as const;
/** The members that people search in by text. */
const TEXTS = ["action", "email", "resourceType", "resourceName", "address", "error", "details"] as const;

/** Gathers the terms of consecutive rows of a chain. */
export class SegmentBuilder {
  readonly #lists = new Map<Class, Map<string, number[]>>();
  readonly #times: number[] = [];
  /** Letters of the rows so far. */
  size = 0;

  constructor(readonly first: number) {}

  get rows(): number {
    return this.#times.length;
  }

  #post(kind: Class, value: string): void {
    const row = this.#times.length;
    const lists = this.#lists.get(kind) ?? new Map<string, number[]>();
    this.#lists.set(kind, lists);
    const rows = lists.get(value);
    if (!rows) lists.set(value, [row]);
    else if (rows.at(-1) !== row) rows.push(row);
  }

  add(row: IndexedRow): void {
    for (const name of WHOLE) {
      const value = row[name];
      if (value !== null) this.#post(CLASS[name], value);
    }
    if (row.details !== null) for (const word of wordsIn(fold(row.details))) this.#post(CLASS.detail, word);
    if (row.error !== null) for (const word of wordsIn(fold(row.error))) this.#post(CLASS.error, word);
    if (TEXTS.some((name) => row[name] !== null && !isAscii(row[name]))) this.#post(CLASS.rough, "");
    this.#times.push(row.ms);
    this.size += TEXTS.reduce((sum, name) => sum + (row[name]?.length ?? 0), 0);
  }

  /** A sequence without a row, in a chain that is broken. */
  skip(): void {
    this.#times.push(this.#times.at(-1) ?? 0);
  }

  finish(): SegmentBytes {
    const terms = [...this.#lists].flatMap(([kind, lists]) =>
      [...lists].map(([value, rows]) => [kind + value, rows] as const),
    );
    return writeSegment({ first: this.first, times: this.#times }, terms, (rows) => rows);
  }
}

/** The parts of a stored segment that merging needs. */
export type Part = { first: number; rows: number; times: Uint8Array; blocks: readonly BlockBytes[] };

/** A place in a block as one number: most terms are in one place, and there are many of them. */
const PLACES = 1 << 16;

/** One segment of some that follow each other, as if it had been built of their rows. */
export function mergeSegments(parts: readonly Part[]): SegmentBytes {
  const first = parts[0]?.first ?? 0;
  const times = parts.flatMap((part) => [...decodeTimes(part.times, part.rows)]);
  const blocks = parts.flatMap((part) =>
    part.blocks.map((bytes) => ({ block: new Block(bytes), base: part.first - first })),
  );
  const places = new Map<string, number[]>();
  for (const [at, { block }] of blocks.entries())
    for (const [place, term] of block.terms.entries()) {
      const known = places.get(term);
      if (known) known.push(at * PLACES + place);
      else places.set(term, [at * PLACES + place]);
    }
  const rowsOf = (known: readonly number[]) =>
    known.flatMap((at) => {
      const { block, base } = blocks[Math.floor(at / PLACES)] as (typeof blocks)[number];
      return block.rowsAt(at % PLACES).map((row) => row + base);
    });
  return writeSegment({ first, times }, [...places], rowsOf);
}
