import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, gzip, gzipSync, constants as zlib } from "node:zlib";
import type { Answer } from "@/server/doors/http/answer";
import { watchPeer } from "./linux-peers";

const MIN_GZIP_BYTES = 1024;
/** Up to here compressing takes less than handing it to another thread and back. */
const MAX_SYNC_GZIP_BYTES = 128 * 1024;
/** A third of the default's time for a fifteenth more bytes of JSON. */
const LEVEL = { level: 3 };
const gzipAside = promisify<Buffer, { level: number }, Buffer>(gzip);
const COMPRESSIBLE = /^(application\/(json|problem\+json|x-ndjson)|text\/(csv|html|plain|css|javascript))/;

const takesGzip = (incoming: IncomingMessage): boolean =>
  /\bgzip\b/.test(String(incoming.headers["accept-encoding"] ?? ""));

function wantsGzip(incoming: IncomingMessage, response: Response): boolean {
  return (
    takesGzip(incoming) &&
    !response.headers.has("content-encoding") &&
    // A range counts the bytes as they are in the file.
    !response.headers.has("accept-ranges") &&
    COMPRESSIBLE.test(response.headers.get("content-type") ?? "")
  );
}

async function sendBytes(outgoing: ServerResponse, bytes: Buffer, gzipped: boolean): Promise<void> {
  let body = bytes;
  if (gzipped && bytes.length >= MIN_GZIP_BYTES) {
    setGzip(outgoing);
    body = bytes.length <= MAX_SYNC_GZIP_BYTES ? gzipSync(bytes, LEVEL) : await gzipAside(bytes, LEVEL);
  }
  outgoing.setHeader("Content-Length", body.length);
  outgoing.end(body);
}

async function sendAnswer(incoming: IncomingMessage, outgoing: ServerResponse, answer: Answer): Promise<void> {
  outgoing.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) outgoing.setHeader(name, value);
  if (answer.body === null || incoming.method === "HEAD") {
    outgoing.end();
    return;
  }
  await sendBytes(outgoing, Buffer.from(answer.body), takesGzip(incoming));
}

/** Writes a handler's answer to the socket, compressed where the client takes it; a stream stays a stream. */
export async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: Answer | Response,
): Promise<void> {
  if (!(response instanceof Response)) return sendAnswer(incoming, outgoing, response);
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers)
    if (name === "set-cookie") outgoing.appendHeader(name, value);
    // How an answer is framed is Node's to say; a second word for it is a second answer to a client that reads that one.
    else if (name !== "transfer-encoding") outgoing.setHeader(name, value);
  if (!response.body || incoming.method === "HEAD") {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  const isStream =
    response.headers.has("x-stream") || /event-stream|csv|ndjson/.test(response.headers.get("content-type") ?? "");
  outgoing.removeHeader("x-stream");
  if (!isStream) {
    return sendBytes(outgoing, Buffer.from(await response.arrayBuffer()), wantsGzip(incoming, response));
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
