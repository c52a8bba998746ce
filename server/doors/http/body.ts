import { createGunzip, type Gunzip } from "node:zlib";
import { AppError, invalid } from "@/server/ground/errors";
import { parseExact, parsePlain } from "@/server/ground/exact-json";
import { isObject } from "@/server/ground/records";
import { repairJson } from "@/server/ground/text";

export const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_NESTING = 32;
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

const tooLarge = (max: number) => {
  const most = max < 1024 * 1024 ? `${max / 1024} KiB` : `${max / 1024 / 1024} MiB`;
  return new AppError("payload_too_large", `The body is over ${most} (after decompression).`);
};

/** Decompresses in a stream up to the limit, against gzip bombs. */
function inflate(compressed: Uint8Array, max: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const gunzip: Gunzip = createGunzip();
    gunzip.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > max) {
        gunzip.destroy();
        reject(tooLarge(max));
      } else chunks.push(chunk);
    });
    gunzip.on("end", () => resolve(Buffer.concat(chunks)));
    gunzip.on("error", () => reject(invalid("body", "is not valid gzip")));
    gunzip.end(compressed);
  });
}

/** The body's chunks. Node's stream is iterable, which the DOM type does not show. */
export const bytesOf = ({ body }: Request): AsyncIterable<Uint8Array> | undefined =>
  (body as AsyncIterable<Uint8Array> | null) ?? undefined;

/** True if a request with an optional body has one. */
export function hasBody({ headers }: Request): boolean {
  const length = headers.get("content-length");
  if (length !== null) return Number(length) > 0;
  return headers.get("transfer-encoding") !== null || headers.get("content-type") !== null;
}

/** The raw body, at most `max` bytes. @throws AppError payload_too_large; validation_failed where it breaks off */
export async function readLimited(request: Request, max: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > max) throw tooLarge(max);
  const bytes = bytesOf(request);
  if (!bytes) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > max) throw tooLarge(max);
      chunks.push(chunk);
    }
  } catch (error) {
    // Other errors are the client's connection, and must not look like a database failure.
    throw error instanceof AppError ? error : invalid("body", "ended before it was complete");
  }
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** Values stored as sent get the full depth, counted below the body, its list and the entry. */
const STORED = new Set(["details", "fields", "rawData"]);
const STORED_DEPTH = 4;

const below = (path: string, name: string | number): string => (path === "" ? `${name}` : `${path}.${name}`);

/**
 * Refuses deep nesting and prototype keys.
 * @param path prefix of the errors' paths; "" for the body, whose members they name
 * @throws AppError validation_failed
 */
export function refuseHostileJson(value: unknown, path = "", depth = 1): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_NESTING)
    throw invalid(path.split(".").slice(0, 3).join(".") || "body", `is nested over ${MAX_NESTING} levels`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item === "object" && item !== null) refuseHostileJson(item, below(path, i), depth + 1);
    }
    return;
  }
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw invalid(below(path, key), "is not an allowed key");
    const item = value[key];
    const inside = depth + 1 === STORED_DEPTH && STORED.has(key) ? 1 : depth + 1;
    if (typeof item === "object" && item !== null) refuseHostileJson(item, below(path, key), inside);
  }
}

function parse(text: string, isExact: boolean): unknown {
  try {
    return isExact ? parseExact(text) : parsePlain(text);
  } catch (error) {
    throw error instanceof AppError ? error : invalid("body", "is not valid JSON");
  }
}

/** NUL or lone surrogates: only escapes produce them, because invalid UTF-8 was replaced during decoding. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** Body limit for strangers: form fields, parsed on the request thread. */
export const MAX_STRANGERS_BYTES = 64 * 1024;

/** isExact: numbers are stored digit for digit. */
type Taken = { isExact?: boolean | undefined; max?: number | undefined };

/**
 * Parses a request's JSON body: decompressed, limited, and its texts repaired for the database, so that verbs can
 * ignore NUL.
 * @throws AppError payload_too_large, unsupported_media_type or validation_failed.
 */
export async function readJson(
  request: Request,
  { isExact = false, max = MAX_BODY_BYTES }: Taken = {},
): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type !== "application/json" && !type.endsWith("+json"))
    throw new AppError("unsupported_media_type", "Send the body as application/json.");
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const raw = await readLimited(request, max);
  if (encoding !== "identity" && encoding !== "gzip")
    throw new AppError("unsupported_media_type", "Content-Encoding may be gzip or identity.");
  const bytes = encoding === "gzip" ? await inflate(raw, max) : raw;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const value = parse(text, isExact);
  refuseHostileJson(value);
  return UNSTORABLE_ESCAPE.test(text) ? repairJson(value) : value;
}
