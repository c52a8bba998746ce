import type { ChainRow } from "@/server/audit/row";

/** A sealed row as a line of evidence; its members are in the order of the canonical payload. */
export type BundleRow = { type: "row" } & Omit<ChainRow, "timestampMs" | "chainSeq"> & {
    timestampMs: number;
    chainSeq: number;
    checksum: string;
  };

/** The version of the canonical payload; the first field of every payload. */
export const PAYLOAD_VERSION = "v1";

/**
 * How many bytes a string has in UTF-8; a lone surrogate counts as the U+FFFD that an encoder makes of it.
 * @param text any string
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else {
      bytes += 2;
      // A pair is four bytes: three for this half here, one for the other, which is skipped.
      if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
    }
  }
  return bytes;
}

/**
 * The canonical payload, version 1 (docs: the chain): `v1;LENGTHS;VALUES`, lengths in bytes of UTF-8 and `-` for NULL.
 * The checksum of a row is the lower-case hex SHA-256 over these characters in UTF-8.
 * @param row one row as stored
 * @param byteLength a faster measure where there is one (Node: Buffer.byteLength)
 */
export function canonicalPayload(row: ChainRow, byteLength: (text: string) => number = utf8Length): string {
  // Written out: a loop over PAYLOAD_FIELDS, to which row.test.ts holds this order, is a tenth slower to verify with.
  const { prevChecksum, actorEmail, resourceId, resourceName, details, ipAddress, userAgent, errorMessage } = row;
  const seq = String(row.chainSeq);
  const ms = String(row.timestampMs);
  const length = (text: string | null) => (text === null ? "-" : byteLength(text));
  return (
    `${PAYLOAD_VERSION};${length(prevChecksum)},${seq.length},${length(row.id)},${length(row.orgId)},${ms.length},` +
    `${length(row.actorType)},${length(row.actorId)},${length(actorEmail)},${length(row.action)},` +
    `${length(row.resourceType)},${length(resourceId)},${length(resourceName)},${length(details)},${length(ipAddress)},` +
    `${length(userAgent)},${length(row.result)},${length(errorMessage)};` +
    `${prevChecksum ?? ""}${seq}${row.id}${row.orgId}${ms}${row.actorType}${row.actorId}${actorEmail ?? ""}` +
    `${row.action}${row.resourceType}${resourceId ?? ""}${resourceName ?? ""}${details ?? ""}${ipAddress ?? ""}` +
    `${userAgent ?? ""}${row.result}${errorMessage ?? ""}`
  );
}
