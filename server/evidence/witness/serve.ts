import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { messageOf } from "@/db/thrown";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { MAX_NOTE_BYTES, type VerifierKey } from "@/server/evidence/tree/signed-note";
import { type Answer, type Cosigner, judge, parseRequest } from "./add-checkpoint";
import { keepNote, readNote, readSeen } from "./store";

/** HTTP witness: POST /add-checkpoint, and GET /HASH/checkpoint for its newest cosigned note. */

export type WitnessOptions = { logs: readonly VerifierKey[]; folder: string; cosigner: Cosigner; now?: () => number };

const REQUEST_TIMEOUT_MS = 10_000;
const NOTE_PATH = /^\/([0-9a-f]{64})\/checkpoint$/;

/** Body as text; null if longer than a note may be or not UTF-8. */
async function readBody(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_NOTE_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_NOTE_BYTES) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    return null;
  }
}

/** Checks and stores without an await in between, so that two requests cannot both continue from the same size. */
function addCheckpoint({ logs, folder, cosigner, now = Date.now }: WitnessOptions, body: string | null): Answer {
  const request = body === null ? null : parseRequest(body);
  if (!request) return { status: 400, body: "The body is not an add-checkpoint request.\n" };
  const seen = readSeen(folder, request.checkpoint.origin);
  const answer = judge(noteTools, { request, logs, seen, cosigner, seconds: Math.floor(now() / 1000) });
  if (answer.status === 200) keepNote(folder, answer.keep.origin, answer.keep.note);
  return answer;
}

function send(outgoing: ServerResponse, { status, body, type }: { status: number; body: string; type?: string }): void {
  const headers = { "Content-Type": type ?? "text/plain; charset=utf-8", "Content-Length": Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, "Cache-Control": "no-store" }).end(body);
}

async function answerRequest(
  options: WitnessOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const path = (incoming.url ?? "/").split("?", 1)[0] ?? "/";
  if (path === "/add-checkpoint") {
    if (incoming.method === "POST") return send(outgoing, addCheckpoint(options, await readBody(incoming)));
    return send(outgoing, { status: 405, body: "Use POST.\n" });
  }
  const name = NOTE_PATH.exec(path)?.[1];
  const note = name ? readNote(options.folder, name) : null;
  return send(outgoing, note === null ? { status: 404, body: "Nothing here.\n" } : { status: 200, body: note });
}

/** The witness's server, not listening yet. */
export function createWitness(options: WitnessOptions): Server {
  const server = createServer((incoming, outgoing) => {
    answerRequest(options, incoming, outgoing).catch((error: unknown) => {
      process.stderr.write(`${messageOf(error)}\n`);
      if (outgoing.headersSent) outgoing.destroy();
      else send(outgoing, { status: 500, body: "The witness cannot read or write its files.\n" });
    });
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  return server;
}
