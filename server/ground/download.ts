import { createHash } from "node:crypto";
import { Readable } from "node:stream";

/** A file for download: its media type, its digest, and either its text or where it lies and how long it is. */
export type Download = { type: string; sha256: string; headers?: Record<string, string> } & (
  | { body: string }
  | { path: string; bytes: number }
);

/** A text as a file. */
export const asFile = (type: string, body: string): Download => ({
  type,
  sha256: createHash("sha256").update(body).digest("hex"),
  body,
});

/** A stream of Node as the body of a Response: the DOM's type of it and Node's do not know each other. */
export const toBody = (stream: Readable): ReadableStream => Readable.toWeb(stream) as ReadableStream;

/** An answer that a browser saves as a file, and that no cache keeps. */
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
