import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliCompressSync,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
  constants as zlib,
} from "node:zlib";
import type { Answer } from "@/server/doors/http/answer";
import { watchPeer } from "./linux-peers";

const MIN_COMPRESSED_BYTES = 1024;
/** Up to this size, compressing is faster than using another thread. */
const MAX_SYNC_BYTES = 128 * 1024;

/** Half of gzip's time for a page of entries, and slightly smaller. */
const BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: 1, [zlib.BROTLI_PARAM_LGWIN]: 18 } };
/** A third of the default's time for a fifteenth more bytes of JSON. */
const GZIP = { level: 3 };

type Codec = {
  now: (bytes: Buffer) => Buffer;
  aside: (bytes: Buffer) => Promise<Buffer>;
  stream: () => NodeJS.ReadWriteStream;
};
const brotliAside = promisify<Buffer, typeof BROTLI, Buffer>(brotliCompress);
const gzipAside = promisify<Buffer, typeof GZIP, Buffer>(gzip);
const CODECS = {
  br: {
    now: (bytes) => brotliCompressSync(bytes, BROTLI),
    aside: (bytes) => brotliAside(bytes, BROTLI),
    stream: () => createBrotliCompress({ ...BROTLI, flush: zlib.BROTLI_OPERATION_FLUSH }),
  },
  gzip: {
    now: (bytes) => gzipSync(bytes, GZIP),
    aside: (bytes) => gzipAside(bytes, GZIP),
    stream: () => createGzip({ flush: zlib.Z_SYNC_FLUSH }),
  },
} satisfies Record<string, Codec>;
type Encoding = keyof typeof CODECS;

const COMPRESSIBLE = /^(application\/(json|problem\+json|x-ndjson)|text\/(csv|html|plain|css|javascript))/;

/** Best encoding accepted by the client. */
function encodingOf({ headers }: IncomingMessage): Encoding | null {
  const accepted = String(headers["accept-encoding"] ?? "");
  return /\bbr\b/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : null;
}

function encodingFor(incoming: IncomingMessage, { headers }: Response): Encoding | null {
  // A range counts uncompressed bytes.
  if (headers.has("content-encoding") || headers.has("accept-ranges")) return null;
  return COMPRESSIBLE.test(headers.get("content-type") ?? "") ? encodingOf(incoming) : null;
}

async function sendBytes(outgoing: ServerResponse, bytes: Buffer, encoding: Encoding | null): Promise<void> {
  let body = bytes;
  if (encoding && bytes.length >= MIN_COMPRESSED_BYTES) {
    setEncoding(outgoing, encoding);
    const { now, aside } = CODECS[encoding];
    body = bytes.length <= MAX_SYNC_BYTES ? now(bytes) : await aside(bytes);
  }
  outgoing.setHeader("Content-Length", body.length);
  outgoing.end(body);
}

/** Compressed public files by encoding and digest. */
const compressed = new Map<string, Buffer>();

async function compressOnce(encoding: Encoding, { etag, body }: { etag: string; body: string }): Promise<Buffer> {
  const key = `${encoding} ${etag}`;
  const known = compressed.get(key) ?? (await CODECS[encoding].aside(Buffer.from(body)));
  compressed.set(key, known);
  return known;
}

async function sendAnswer(incoming: IncomingMessage, outgoing: ServerResponse, answer: Answer): Promise<void> {
  outgoing.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) outgoing.setHeader(name, value);
  if (answer.body === null || incoming.method === "HEAD") {
    outgoing.end();
    return;
  }
  const { ETag: etag, "Cache-Control": cache } = answer.headers;
  const encoding = encodingOf(incoming);
  if (etag && encoding && cache?.startsWith("public")) {
    const bytes = await compressOnce(encoding, { etag, body: answer.body });
    setEncoding(outgoing, encoding);
    return sendBytes(outgoing, bytes, null);
  }
  await sendBytes(outgoing, Buffer.from(answer.body), encoding);
}

/** Writes a handler's answer to the socket, compressed if the client accepts it; streams stay streams. */
export async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: Answer | Response,
): Promise<void> {
  if (!(response instanceof Response)) return sendAnswer(incoming, outgoing, response);
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers)
    if (name === "set-cookie") outgoing.appendHeader(name, value);
    // Node decides the framing; a second header could be read as a second answer.
    else if (name !== "transfer-encoding") outgoing.setHeader(name, value);
  if (!response.body || incoming.method === "HEAD") {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  const isStream =
    response.headers.has("x-stream") || /event-stream|csv|ndjson/.test(response.headers.get("content-type") ?? "");
  outgoing.removeHeader("x-stream");
  const encoding = encodingFor(incoming, response);
  if (!isStream) return sendBytes(outgoing, Buffer.from(await response.arrayBuffer()), encoding);
  watchPeer(outgoing.socket);
  const source = Readable.fromWeb(response.body as import("node:stream/web").ReadableStream);
  if (!encoding) {
    outgoing.flushHeaders();
    await pipeline(source, outgoing);
    return;
  }
  setEncoding(outgoing, encoding);
  await pipeline(source, CODECS[encoding].stream(), outgoing);
}

function setEncoding(outgoing: ServerResponse, encoding: Encoding): void {
  outgoing.setHeader("Content-Encoding", encoding);
  outgoing.setHeader("Vary", "Accept-Encoding");
  outgoing.removeHeader("Content-Length");
}
