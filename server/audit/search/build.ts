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

/** Columns read by the index. */
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
  /** Empty text if an API key submitted the row. */
  submitted: string | null;
  error: string | null;
  details: string | null;
};

/** Members stored as whole terms. */
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
/** Members searched by part of their text. */
const TEXTS = ["action", "email", "resourceType", "resourceName", "address", "error", "details"] as const;

/** Collects the terms of consecutive rows of a chain. */
export class SegmentBuilder {
  readonly #lists = new Map<Class, Map<string, number[]>>();
  readonly #times: number[] = [];
  /** Characters added so far. */
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

  /** Skips a missing sequence in a broken chain. */
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

/** Columns of a stored segment needed for merging. */
export type Part = { first: number; rows: number; times: Uint8Array; blocks: readonly BlockBytes[] };

/** A position in a block as one number, to save memory: most terms have one position. */
const PLACES = 1 << 16;

/** Merges consecutive segments into one, equal to one built from their rows. */
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
  const rowsOf = (known: readonly number[]) => {
    const rows: number[] = [];
    for (const at of known) {
      const { block, base } = blocks[Math.floor(at / PLACES)] as (typeof blocks)[number];
      block.pushTo(rows, at % PLACES, base);
    }
    return rows;
  };
  return writeSegment({ first, times }, [...places], rowsOf);
}
