import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, constants as zlib } from "node:zlib";
import { watchPeer } from "./dead-peers";

const MIN_GZIP_BYTES = 1024;
const COMPRESSIBLE = /^(application\/(json|problem\+json|x-ndjson)|text\/(csv|html|plain|css|javascript))/;

function wantsGzip(incoming: IncomingMessage, response: Response): boolean {
  return (
    /\bgzip\b/.test(String(incoming.headers["accept-encoding"] ?? "")) &&
    !response.headers.has("content-encoding") &&
    COMPRESSIBLE.test(response.headers.get("content-type") ?? "")
  );
}

/** Writes a handler's Response to the socket, compressed where the client takes it; a stream stays a stream. */
export async function respond(incoming: IncomingMessage, outgoing: ServerResponse, response: Response): Promise<void> {
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.setHeader(name, value);
  if (!response.body || incoming.method === "HEAD") {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  const isStream =
    response.headers.has("x-stream") || /event-stream|csv|ndjson/.test(response.headers.get("content-type") ?? "");
  outgoing.removeHeader("x-stream");
  if (!isStream) {
    const bytes = Buffer.from(await response.arrayBuffer());
    if (bytes.length < MIN_GZIP_BYTES || !wantsGzip(incoming, response)) {
      outgoing.setHeader("Content-Length", bytes.length);
      outgoing.end(bytes);
      return;
    }
    setGzip(outgoing);
    await pipeline(Readable.from([bytes]), createGzip(), outgoing);
    return;
  }
  watchPeer(outgoing.socket);
  const source = Readable.fromWeb(response.body as import("node:stream/web").ReadableStream);
  if (!wantsGzip(incoming, response)) {
    outgoing.flushHeaders();
    await pipeline(source, outgoing);
    return;
  }
  setGzip(outgoing);
  await pipeline(source, createGzip({ flush: zlib.Z_SYNC_FLUSH }), outgoing);
}

function setGzip(outgoing: ServerResponse): void {
  outgoing.setHeader("Content-Encoding", "gzip");
  outgoing.setHeader("Vary", "Accept-Encoding");
  outgoing.removeHeader("Content-Length");
}
