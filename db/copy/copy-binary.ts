/**
 * PostgreSQL's binary COPY format, taken apart row by row as chunks come in. A text field is its raw UTF-8 bytes with
 * the length in front: nothing to unescape, and just what the canonical payload is made of.
 */

const SIGNATURE_BYTES = 11;
const NULL_LENGTH = 0xffffffff;

/** Where a row's fields are in `data`; a length of -1 is NULL. The arrays are used again for the next row. */
export type CopyRow = { data: Buffer; starts: Int32Array; lengths: Int32Array; size: number };

/** Where a field's bytes begin. */
export const startOf = (row: CopyRow, field: number): number => row.starts[field] ?? 0;

/** How many bytes a field has; -1 for NULL. */
export const lengthOf = (row: CopyRow, field: number): number => row.lengths[field] ?? 0;

export class CopyBinaryReader {
  #rest: Buffer | null = null;
  #started = false;
  readonly #row: CopyRow;

  constructor(
    private readonly fields: number,
    private readonly onRow: (row: CopyRow) => void,
  ) {
    this.#row = { data: Buffer.alloc(0), starts: new Int32Array(fields), lengths: new Int32Array(fields), size: 0 };
  }

  push(chunk: Buffer): void {
    const data = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = null;
    let at = this.#started ? 0 : this.#header(data);
    while (at >= 0 && at < data.length) {
      const next = this.#read(data, at);
      if (next < 0) break;
      at = next;
    }
    if (at < data.length) this.#rest = at > 0 ? data.subarray(at) : data;
  }

  /** Length of the file header, or -1 while it is not whole. */
  #header(data: Buffer): number {
    const fixed = SIGNATURE_BYTES + 8;
    if (data.length < fixed) return -1;
    this.#started = true;
    return fixed + data.readUInt32BE(SIGNATURE_BYTES + 4);
  }

  /** Reads the row at an offset; answers where the next begins, or -1 when this one is not whole yet. */
  #read(data: Buffer, at: number): number {
    if (data.length < at + 2) return -1;
    if (data.readInt16BE(at) < 0) return data.length; // the trailer
    const { starts, lengths } = this.#row;
    let position = at + 2;
    for (let field = 0; field < this.fields; field++) {
      if (data.length < position + 4) return -1;
      const length = data.readUInt32BE(position);
      position += 4;
      starts[field] = position;
      lengths[field] = length === NULL_LENGTH ? -1 : length;
      if (length !== NULL_LENGTH) position += length;
    }
    if (position > data.length) return -1;
    this.#row.data = data;
    this.#row.size = position - at;
    this.onRow(this.#row);
    return position;
  }
}
