import { Readable } from "node:stream";

/** A file for download: its media type, its digest, and either its text or where it lies and how long it is. */
export type Download = { type: string; sha256: string } & ({ body: string } | { path: string; bytes: number });

/** A stream of Node as the body of a Response: the DOM's type of it and Node's do not know each other. */
export const toBody = (stream: Readable): ReadableStream => Readable.toWeb(stream) as ReadableStream;
