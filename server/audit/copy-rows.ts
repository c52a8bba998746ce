import { hash } from "node:crypto";
import { type BundleRow, ROW_FIELDS } from "./bundle";
import { PAYLOAD_VERSION } from "./chain";
import { CopyBinaryReader, type CopyRow } from "./copy-binary";
import type { Link } from "./verifier";

/** The payload's fields in its order, each cast to text, then the stored checksum (ROW_FIELDS names them). */
export const CHAIN_COLUMNS = `prev_checksum, chain_seq::text AS seq_text, id::text, org_id::text,
  (extract(epoch FROM "timestamp") * 1000)::bigint::text, actor_type, actor_id::text, actor_email, action, resource_type,
  resource_id::text, resource_name, details::text, ip_address, user_agent, result, error_message, checksum`;

const FIELDS = ROW_FIELDS.length;
const PAYLOAD_FIELDS = FIELDS - 1;
const SEQ = 1;
const ID = 2;

function textOf({ data, starts, lengths }: CopyRow, field: number): string | null {
  const length = lengths[field] as number;
  const start = starts[field] as number;
  return length < 0 ? null : data.toString("utf8", start, start + length);
}

/** Hashes rows of a COPY over CHAIN_COLUMNS straight from their bytes and hands out one link a row. */
export function createLinkReader(onLink: (link: Link) => void): CopyBinaryReader {
  let scratch = Buffer.allocUnsafe(64 * 1024);
  return new CopyBinaryReader(FIELDS, (row) => {
    const { data, starts, lengths, size } = row;
    if (scratch.length < size + 256) scratch = Buffer.allocUnsafe(size * 2 + 256);
    let head = `${PAYLOAD_VERSION};`;
    for (let field = 0; field < PAYLOAD_FIELDS; field++) {
      const length = lengths[field] as number;
      head += field === 0 ? (length < 0 ? "-" : length) : length < 0 ? ",-" : `,${length}`;
    }
    let end = scratch.write(`${head};`, 0, "latin1");
    for (let field = 0; field < PAYLOAD_FIELDS; field++) {
      const length = lengths[field] as number;
      if (length <= 0) continue;
      const start = starts[field] as number;
      data.copy(scratch, end, start, start + length);
      end += length;
    }
    onLink({
      recomputed: hash("sha256", scratch.subarray(0, end), "hex"),
      seq: Number(textOf(row, SEQ)),
      id: textOf(row, ID) ?? "",
      prevChecksum: textOf(row, 0),
      checksum: textOf(row, PAYLOAD_FIELDS) ?? "",
    });
  });
}

/** Rows of a COPY over CHAIN_COLUMNS as the lines of an evidence bundle hold them. */
export function createRowReader(onRow: (row: BundleRow) => void): CopyBinaryReader {
  return new CopyBinaryReader(FIELDS, (row) => {
    const found: Record<string, unknown> = { type: "row" };
    for (let field = 0; field < FIELDS; field++) {
      const name = ROW_FIELDS[field] as string;
      const value = textOf(row, field);
      found[name] = name === "chainSeq" || name === "timestampMs" ? Number(value) : value;
    }
    onRow(found as BundleRow);
  });
}
