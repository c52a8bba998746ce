import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { AppError } from "./errors";

/** A file for download: media type, digest, and its text or its path and length. */
export type Download = { type: string; sha256: string; headers?: Record<string, string> } & (
  | { body: string }
  | { path: string; bytes: number }
);

/** A text as a download. */
export const asFile = (type: string, body: string): Download => ({
  type,
  sha256: createHash("sha256").update(body).digest("hex"),
  body,
});

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Requested range of a file (RFC 9110, 14.2), both ends included; null for the whole file, also for malformed and
 * multiple ranges.
 * @throws AppError range_not_satisfiable where the range is past the end
 */
function byteRange(header: string | null, size: number): { first: number; last: number } | null {
  const [, from = "", to = ""] = RANGE.exec(header?.replaceAll(" ", "") ?? "") ?? [];
  if (from === "" && to === "") return null;
  if (from !== "" && to !== "" && Number(to) < Number(from)) return null;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last)
    throw new AppError("range_not_satisfiable", `The file has ${size} bytes.`, {
      headers: { "Content-Range": `bytes */${size}` },
    });
  return { first, last };
}

type Wanted = { size: number; etag: string; range: string | null; ifRange: string | null };

/**
 * Part of a file to send, with status and headers. The range applies if the caller's part is of the same file.
 * @throws AppError range_not_satisfiable
 */
export function partOf({ size, etag, range, ifRange }: Wanted) {
  const wanted = ifRange === null || ifRange === etag ? byteRange(range, size) : null;
  const { first, last } = wanted ?? { first: 0, last: size - 1 };
  const headers: Record<string, string> = {
    "Accept-Ranges": "bytes",
    "Content-Length": String(last - first + 1),
    ETag: etag,
    ...(wanted && { "Content-Range": `bytes ${first}-${last}/${size}` }),
  };
  return { first, last, status: wanted ? 206 : 200, headers };
}

/** Converts a Node stream to a Response body: their types differ. */
export const toBody = (stream: Readable): ReadableStream => Readable.toWeb(stream) as ReadableStream;

/** An answer saved as a file by browsers and not cached. */
export const savedAs = (
  name: string,
  type: string,
  body: ReadableStream | string | Uint8Array<ArrayBuffer>,
): Response =>
  new Response(body, {
    headers: {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    },
  });
