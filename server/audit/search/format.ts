/**
 * The bytes of a segment: the inverted index of consecutive rows of one chain. A term is a class and a value; terms of
 * several rows come first, then those of one, each sorted, so that equal rows give equal bytes. Each block has a bitmap
 * of the grams in its terms, so that a search can skip it unread.
 */

/** Class of a term. Lowercase letters and digits, because folding must not change them. */
export const CLASS = {
  action: "a",
  result: "r",
  actorType: "t",
  actorId: "i",
  rawActorId: "w",
  email: "m",
  resourceType: "k",
  resourceId: "d",
  resourceName: "n",
  address: "p",
  /** A word of the details or of the failure reason; all others are whole stored values. */
  detail: "x",
  error: "e",
  /** A key has submitted the row. */
  submitted: "s",
  /** The row has non-ASCII letters, for which folding differs from the database's lower(). */
  rough: "u",
} as const;
export type Class = (typeof CLASS)[keyof typeof CLASS];

/** Stands before and after each term of a block. */
export const END = "\0";
const ASCII = /^\p{ASCII}*$/u;
export const isAscii = (text: string): boolean => ASCII.test(text);

/**
 * Folds case and marks, so that all texts equal under lower() or Unicode normalization become equal, and a few more. It
 * maps letter by letter, so a substring stays a substring.
 */
export const fold = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ").replaceAll("ı", "i");

/** Words of a folded text: separated by blanks, control characters and JSON punctuation. */
export const wordsIn = (folded: string): string[] => folded.match(/[^\p{Cc} ",:{}[\]\\]+/gu) ?? [];

/** A whole term as stored in a block. */
export const termOf = (kind: Class, value: string): string => `${END}${kind}${value}${END}`;

/** A growing byte buffer. */
class Bytes {
  #data = new Uint8Array(1 << 12);
  length = 0;

  #grow(more: number): void {
    if (this.length + more <= this.#data.length) return;
    const data = new Uint8Array(Math.max(this.#data.length * 2, this.length + more));
    data.set(this.#data);
    this.#data = data;
  }

  varint(value: number): void {
    this.#grow(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#data[this.length++] = (rest % 0x80) | 0x80;
    this.#data[this.length++] = rest;
  }

  put(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.#data.set(bytes, this.length);
    this.length += bytes.length;
  }

  view(): Uint8Array {
    return this.#data.subarray(0, this.length);
  }

  take(): Buffer {
    return Buffer.from(this.view());
  }
}

/** Reads integers written by Bytes.varint(). */
class Reader {
  at = 0;
  constructor(readonly data: Uint8Array) {}

  varint(): number {
    let [value, factor] = [0, 1];
    for (let byte = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = this.data[this.at++] ?? 0;
      value += (byte & 0x7f) * factor;
    }
    return value;
  }

  /** Length-prefixed bytes. */
  take(): Uint8Array {
    const length = this.varint();
    this.at += length;
    return this.data.subarray(this.at - length, this.at);
  }
}

/** Encodes times in milliseconds as deltas, sign in the lowest bit. */
export function encodeTimes(times: readonly number[]): Buffer {
  const bytes = new Bytes();
  let before = 0;
  for (const time of times) {
    const step = time - before;
    bytes.varint(step < 0 ? -2 * step - 1 : 2 * step);
    before = time;
  }
  return bytes.take();
}

export function decodeTimes(data: Uint8Array, rows: number): Float64Array {
  const times = new Float64Array(rows);
  const reader = new Reader(data);
  let time = 0;
  for (let row = 0; row < rows; row++) {
    const step = reader.varint();
    time += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    times[row] = time;
  }
  return times;
}

/** One bit a row. */
export type Bits = Uint8Array;
/** No rows of so many; whole words of four bytes. */
export const noBits = (rows: number): Bits => new Uint8Array(Math.ceil(rows / 32) * 4);
export const addRow = (bits: Bits, row: number): void => {
  bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
};
export const hasRow = (bits: Bits, row: number): boolean => ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;

const deltas = new Bytes();

/** Rows of a term, as deltas or, if shorter, as a bitmap of the segment. */
function putPosting(into: Bytes, rows: readonly number[], count: number): void {
  deltas.length = 0;
  let before = -1;
  for (const row of rows) {
    deltas.varint(row - before - 1);
    before = row;
  }
  const size = Math.ceil(count / 8);
  const isBitmap = deltas.length > size;
  const bits = isBitmap ? noBits(count).subarray(0, size) : deltas.view();
  if (isBitmap) for (const row of rows) addRow(bits, row);
  into.varint(bits.length * 2 + (isBitmap ? 1 : 0));
  into.put(bits);
}

const GRAM_FACTOR = 0x9e3779b1;
const MOST_GRAM_BYTES = 8 * 1024;

/** Hash of `letters` letters of a text from a position. */
function gramAt(text: string, at: number, letters: number): number {
  let hash = 0;
  for (let i = at; i < at + letters; i++) hash = Math.imul(hash + text.charCodeAt(i) + 1, GRAM_FACTOR);
  return Math.imul(hash ^ (hash >>> 15), GRAM_FACTOR) >>> 8;
}

/** Sets the bits of every run of three and of four letters. */
function addGrams(bits: Bits, text: string): void {
  const last = bits.length * 8 - 1;
  for (let at = 0; at + 3 <= text.length; at++) {
    addRow(bits, gramAt(text, at, 3) & last);
    if (at + 4 <= text.length) addRow(bits, gramAt(text, at, 4) & last);
  }
}

/** Facts of a block available without reading it: the classes of its terms, and their grams. */
export type Grams = { classes: string; bits: Bits };

/** False if no term of some classes can contain the folded text; for a text shorter than a gram, the classes decide. */
export function mayHold({ classes, bits }: Grams, wanted: string, text: string): boolean {
  if (![...wanted].some((kind) => classes.includes(kind))) return false;
  const last = bits.length * 8 - 1;
  for (let at = 0; at + 3 <= text.length; at++) {
    if (!hasRow(bits, gramAt(text, at, 3) & last)) return false;
    if (at + 4 <= text.length && !hasRow(bits, gramAt(text, at, 4) & last)) return false;
  }
  return true;
}

/** Two bits per letter of the terms, rounded to a power of two, at most 8 KiB. */
function gramsOf(terms: readonly string[]): Grams {
  const letters = terms.reduce((sum, term) => sum + term.length, 0);
  const bits = Buffer.alloc(Math.min(MOST_GRAM_BYTES, 2 ** Math.ceil(Math.log2(letters / 4 + 8))));
  for (const term of terms) addGrams(bits, `${END}${fold(term)}${END}`);
  return { classes: [...new Set(terms.map((term) => term.charAt(0)))].join(""), bits };
}

/** Terms of a segment and their rows, one after the other. */
export type BlockBytes = { words: Buffer; postings: Buffer };

/** A stored segment. Its rows start at `first` without a gap; grams has an entry per block. */
export type SegmentBytes = {
  first: number;
  rows: number;
  oldest: number;
  newest: number;
  actions: string[];
  times: Buffer;
  grams: Buffer;
  blocks: BlockBytes[];
};

function joinGrams(grams: readonly Grams[]): Buffer {
  const bytes = new Bytes();
  for (const { classes, bits } of grams)
    for (const one of [Buffer.from(classes), bits]) {
      bytes.varint(one.length);
      bytes.put(one);
    }
  return bytes.take();
}

/** The grams of a segment's blocks. */
export function splitGrams(data: Uint8Array): Grams[] {
  const reader = new Reader(data);
  const grams: Grams[] = [];
  while (reader.at < data.length) grams.push({ classes: Buffer.from(reader.take()).toString(), bits: reader.take() });
  return grams;
}

const MOST_WORD_BYTES = 32 * 1024;
const MOST_POSTING_BYTES = 48 * 1024;

/** Writes a segment: times has an entry per row, rowsOf returns the rows of a term in order. */
export function writeSegment<Place>(
  { first, times }: { first: number; times: readonly number[] },
  terms: readonly (readonly [term: string, place: Place])[],
  rowsOf: (place: Place) => readonly number[],
): SegmentBytes {
  const blocks: BlockBytes[] = [];
  const grams: Grams[] = [];
  let [inBlock, letters, postings]: [string[], number, Bytes] = [[], 0, new Bytes()];
  const cut = () => {
    if (inBlock.length === 0) return;
    blocks.push({ words: Buffer.from(inBlock.join(END)), postings: postings.take() });
    grams.push(gramsOf(inBlock));
    [inBlock, letters, postings] = [[], 0, new Bytes()];
  };
  const inOrder = terms.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const [many, single]: [typeof inOrder, typeof inOrder] = [[], []];
  for (const one of inOrder) (rowsOf(one[1]).length > 1 ? many : single).push(one);
  for (const [term, place] of [...many, ...single]) {
    inBlock.push(term);
    letters += term.length + 1;
    putPosting(postings, rowsOf(place), times.length);
    if (letters >= MOST_WORD_BYTES || postings.length >= MOST_POSTING_BYTES) cut();
  }
  cut();
  const actions = inOrder.flatMap(([term]) => (term.startsWith(CLASS.action) ? [term.slice(1)] : []));
  let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) [oldest, newest] = [Math.min(oldest, time), Math.max(newest, time)];
  return {
    first,
    rows: times.length,
    oldest,
    newest,
    actions,
    times: encodeTimes(times),
    grams: joinGrams(grams),
    blocks,
  };
}

export class Block {
  /** All terms, each between two ENDs. */
  readonly text: string;
  readonly #postings: Uint8Array;
  #starts: number[] | undefined;
  #folded: string | undefined;

  constructor({ words, postings }: { words: Uint8Array; postings: Uint8Array }) {
    this.text = `${END}${Buffer.from(words.buffer, words.byteOffset, words.length).toString()}${END}`;
    this.#postings = postings;
  }

  /** The folded text; the order of terms is kept. */
  get folded(): string {
    this.#folded ??= fold(this.text);
    return this.#folded;
  }

  get terms(): string[] {
    return this.text.slice(1, -1).split(END);
  }

  /** Terms in which a text occurs, or that begin with it if it starts with END; with their indexes. */
  *termsWith(wanted: string, text = this.text): Generator<[place: number, term: string]> {
    let [place, start] = [0, 1];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, start - 1)) {
      let end = text.indexOf(END, start);
      for (; end <= at; end = text.indexOf(END, start)) [place, start] = [place + 1, end + 1];
      yield [place, text.slice(start, end)];
      [place, start] = [place + 1, end + 1];
    }
  }

  #startOf(place: number): number {
    if (!this.#starts) {
      this.#starts = [];
      for (const reader = new Reader(this.#postings); reader.at < this.#postings.length; ) {
        this.#starts.push(reader.at);
        const header = reader.varint();
        reader.at += Math.floor(header / 2);
      }
    }
    return this.#starts[place] ?? 0;
  }

  /** Adds the rows of the term at an index to a list, counted from `base`. */
  pushTo(rows: number[], place: number, base: number): void {
    this.#read(
      place,
      (row) => rows.push(base + row),
      (bits) => {
        for (let row = 0; row < bits.length * 8; row++) if (hasRow(bits, row)) rows.push(base + row);
      },
    );
  }

  /** Adds the rows of the term at an index to a set. */
  addTo(set: Bits, place: number): void {
    this.#read(
      place,
      (row) => addRow(set, row),
      (bits) => {
        for (let at = 0; at < bits.length; at++) set[at] = (set[at] ?? 0) | (bits[at] ?? 0);
      },
    );
  }

  #read(place: number, onRow: (row: number) => void, onBits: (bits: Bits) => void): void {
    const reader = new Reader(this.#postings);
    reader.at = this.#startOf(place);
    const header = reader.varint();
    const end = reader.at + Math.floor(header / 2);
    if (header % 2 === 1) onBits(this.#postings.subarray(reader.at, end));
    else
      for (let row = -1; reader.at < end; ) {
        row += reader.varint() + 1;
        onRow(row);
      }
  }
}
