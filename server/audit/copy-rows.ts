import { hash } from "node:crypto";
import { PAYLOAD_VERSION } from "./chain";
import type { Link } from "./verifier";

/**
 * Rows of a chain out of `COPY (…) TO STDOUT (FORMAT binary)`, hashed without a string in between: in the binary format
 * a text field is its raw UTF-8 bytes with their length in front, which is just what the canonical payload wants.
 */

/** The payload's fields in its order, each cast to text, then the stored checksum. */
export const CHAIN_COLUMNS = `prev_checksum, chain_seq::text AS seq_text, id::text, org_id::text,
  (extract(epoch FROM "timestamp") * 1000)::bigint::text, actor_type, actor_id::text, actor_email, action, resource_type,
  resource_id::text, resource_name, details::text, ip_address, user_agent, result, error_message, checksum`;

const PAYLOAD_FIELDS = 17;
const FIELDS = PAYLOAD_FIELDS + 1;
const ID_FIELD = 2;
const SEQ_FIELD = 1;
const SIGNATURE_BYTES = 11;
const NULL_FIELD = 0xffffffff;

/** A reader of the binary COPY stream: takes chunks as they come, calls back once a row. */
export class ChainCopyReader {
  #rest: Buffer | null = null;
  #started = false;
  #scratch = Buffer.allocUnsafe(64 * 1024);
  readonly #starts = new Int32Array(FIELDS);
  readonly #lengths = new Int32Array(FIELDS);

  constructor(private readonly onRow: (row: Link) => void) {}

  push(chunk: Buffer): void {
    const data = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = null;
    let at = 0;
    if (!this.#started) {
      const header = SIGNATURE_BYTES + 8;
      if (data.length < header) {
        this.#rest = data;
        return;
      }
      at = header + data.readUInt32BE(SIGNATURE_BYTES + 4);
      this.#started = true;
    }
    while (at < data.length) {
      const next = this.#row(data, at);
      if (next < 0) {
        this.#rest = data.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Reads the row at an offset; -1 when it is not whole yet. */
  #row(data: Buffer, at: number): number {
    if (data.length < at + 2) return -1;
    if (data.readInt16BE(at) < 0) return data.length; // the trailer
    let position = at + 2;
    for (let field = 0; field < FIELDS; field++) {
      if (data.length < position + 4) return -1;
      const length = data.readUInt32BE(position);
      position += 4;
      this.#starts[field] = position;
      if (length === NULL_FIELD) {
        this.#lengths[field] = -1;
        continue;
      }
      this.#lengths[field] = length;
      position += length;
    }
    if (position > data.length) return -1;
    this.#emit(data, position - at);
    return position;
  }

  #emit(data: Buffer, size: number): void {
    if (this.#scratch.length < size + 256) this.#scratch = Buffer.allocUnsafe(size * 2 + 256);
    const scratch = this.#scratch;
    let head = `${PAYLOAD_VERSION};`;
    for (let field = 0; field < PAYLOAD_FIELDS; field++) {
      const length = this.#lengths[field] as number;
      head += field === 0 ? (length < 0 ? "-" : length) : length < 0 ? ",-" : `,${length}`;
    }
    let end = scratch.write(`${head};`, 0, "latin1");
    for (let field = 0; field < PAYLOAD_FIELDS; field++) {
      const length = this.#lengths[field] as number;
      if (length <= 0) continue;
      const start = this.#starts[field] as number;
      data.copy(scratch, end, start, start + length);
      end += length;
    }
    this.onRow({
      recomputed: hash("sha256", scratch.subarray(0, end), "hex"),
      seq: Number(this.#text(data, SEQ_FIELD)),
      id: this.#text(data, ID_FIELD) ?? "",
      prevChecksum: this.#text(data, 0),
      checksum: this.#text(data, PAYLOAD_FIELDS) ?? "",
    });
  }

  #text(data: Buffer, field: number): string | null {
    const length = this.#lengths[field] as number;
    const start = this.#starts[field] as number;
    return length < 0 ? null : data.toString("latin1", start, start + length);
  }
}
