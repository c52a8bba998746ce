import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { problemAnswer } from "@/server/doors/http/problem";
import { type AppError, invalid } from "@/server/ground/errors";

/** Faults of node's own parser, in the caller's words. */
const FAULTS: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ["headers", "are over 16 KiB together with the address"],
  ERR_HTTP_REQUEST_TIMEOUT: ["request", "did not arrive in time"],
};

/** Answers on a bare socket, then cuts it: a client that keeps a connection open on purpose does not close its end. */
export function refuseOn(socket: Duplex, error: AppError): void {
  const { status, headers, body } = problemAnswer(error, crypto.randomUUID());
  const text = body ?? "";
  const sent = { ...headers, "Content-Length": String(Buffer.byteLength(text)), Connection: "close" };
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join("")}\r\n${text}`, () => socket.destroy());
}

/** What never became a request (headers too large, too slow, no HTTP) is answered like any other bad input, then cut. */
export function refuseMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [path, message] = FAULTS[error.code ?? ""] ?? ["request", "is not valid HTTP"];
  refuseOn(socket, invalid(path, message));
}
