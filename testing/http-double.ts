import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { listen } from "./port-of";

/** A request, and its body as text, decompressed. */
export type Incoming = { method: string; path: string; headers: IncomingHttpHeaders; raw: Buffer; text: string };
type Answer = { status: number; headers?: Record<string, string>; body?: string | Buffer; delayMs?: number };
/** cut: the connection ends without an answer. silent: it stays open without one. A function answers by itself. */
export type Answered = Answer | ((outgoing: ServerResponse) => unknown) | "cut" | "silent";
type Decide = (incoming: Incoming) => Answered | Promise<Answered>;

/** An answer as JSON. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** A peer on loopback that stores requests; `answer` decides. */
export async function startHttpDouble(answer: Decide = () => ({ status: 204 })) {
  const received: Incoming[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = "", url: path = "", headers } = incoming;
    // A sender that leaves early has not asked.
    const raw = await buffer(incoming).catch(() => null);
    if (raw === null) return;
    const isPacked = headers["content-encoding"] === "gzip" && raw.length > 0;
    const one = { method, path, headers, raw, text: String(isPacked ? gunzipSync(raw) : raw) };
    received.push(one);
    const told = await double.answer(one);
    if (told === "silent") return;
    if (told === "cut") return outgoing.destroy();
    if (typeof told === "function") return told(outgoing);
    if (told.delayMs) await sleep(told.delayMs);
    outgoing.writeHead(told.status, told.headers).end(told.body);
  });
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  const double = { url: `http://127.0.0.1:${await listen(server)}`, received, answer, close };
  return double;
}

export type HttpDouble = Awaited<ReturnType<typeof startHttpDouble>>;
