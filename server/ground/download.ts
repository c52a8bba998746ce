import { createHash } from "node:crypto";
import { Readable } from "node:stream";

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
