import { AppError } from "@/server/ground/errors";

/** Bytes of a file, both ends included. */
export type Span = { first: number; last: number };

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The range that a request asks for (RFC 9110, 14.2); null for the whole, which a malformed range and several ranges are
 * answered with too.
 * @throws AppError range_not_satisfiable where the range is past the end
 */
export function byteRange(header: string | undefined, size: number): Span | null {
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
