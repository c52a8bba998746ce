import { createServer, type IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { listen } from "./port-of";

/** A line of a stream in native format: an entry, or the end of a batch. */
export type ReceivedLine = { type: string; id: string; orgId: string; chainSeq: number } & Record<string, unknown>;
type Received = { headers: IncomingHttpHeaders; raw: Buffer; lines: ReceivedLine[] };

type Answer = { status: number; headers?: Record<string, string>; body?: string };

/** Parses a body: lines, or an array. */
function linesOf(text: string): ReceivedLine[] {
  if (text.startsWith("[")) return JSON.parse(text);
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** A receiver of streams on loopback: `answer` decides each answer; 2xx counts as stored. */
export async function startStreamReceiver() {
  const received: Received[] = [];
  const stored: ReceivedLine[] = [];
  const receiver = {
    url: "",
    received,
    stored,
    answer: (_: Received): Answer | "cut" => ({ status: 204 }),
    /** Delay of an answer after storing. */
    delayMs: 0,
    entriesOf: (orgId: string) => stored.filter((line) => line.type === "trailmark.entry.v1" && line.orgId === orgId),
    markersOf: (orgId: string) => stored.filter((line) => line.type === "trailmark.batch" && line.orgId === orgId),
    close: async () => {},
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const raw = Buffer.concat(chunks);
      const plain = incoming.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      const one = { headers: incoming.headers, raw, lines: linesOf(plain.toString("utf8")) };
      received.push(one);
      const answer = receiver.answer(one);
      const isStored = answer === "cut" || (answer.status >= 200 && answer.status < 300);
      if (isStored) stored.push(...one.lines);
      // Stored, but the sender gets no answer.
      if (answer === "cut") outgoing.destroy();
      else setTimeout(() => outgoing.writeHead(answer.status, answer.headers).end(answer.body), receiver.delayMs);
    });
  });
  receiver.url = `http://127.0.0.1:${await listen(server)}/in`;
  receiver.close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  return receiver;
}

export type StreamReceiver = Awaited<ReturnType<typeof startStreamReceiver>>;
