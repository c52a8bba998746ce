/**
 * Parses PostgreSQL's binary COPY format row by row from chunks. A text field is its UTF-8 bytes with a length prefix:
 * nothing to unescape, and exactly the bytes of the canonical payload.
 */

const SIGNATURE_BYTES = 11;
const NULL_LENGTH = 0xffffffff;

/** Positions of a row's fields in `data`; length -1 is NULL. The arrays are reused for the next row. */
export type CopyRow = { data: Buffer; starts: Int32Array; lengths: Int32Array; size: number };

/** Offset of a field's bytes. */
export const startOf = (row: CopyRow, field: number): number => row.starts[field] ?? 0;

/** Length of a field in bytes; -1 for NULL. */
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

  /** Length of the file header, or -1 while incomplete. */
  #header(data: Buffer): number {
    const fixed = SIGNATURE_BYTES + 8;
    if (data.length < fixed) return -1;
    this.#started = true;
    return fixed + data.readUInt32BE(SIGNATURE_BYTES + 4);
  }

  /** Reads the row at an offset. @returns the offset of the next, or -1 if incomplete. */
  #read(data: Buffer, at: number): number {
    if (data.length < at + 2) return -1;
    if (data.readInt16BE(at) < 0) return data.length; // The trailer.
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
