import { createServer, type IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { listen } from "./port-of";

export type Incoming = { method: string; path: string; headers: IncomingHttpHeaders; raw: Buffer; text: string };
type Answer = { status: number; headers?: Record<string, string>; body?: string | Buffer; delayMs?: number };
/** cut: the connection ends without an answer. silent: it stays open without one. */
export type Answered = Answer | "cut" | "silent";

const textOf = (raw: Buffer, headers: IncomingHttpHeaders): string =>
  (headers["content-encoding"] === "gzip" && raw.length > 0 ? gunzipSync(raw) : raw).toString("utf8");

/** A receiver on loopback that stores requests; `answer` decides. */
export async function startHttpDouble(answer: (incoming: Incoming) => Answered = () => ({ status: 204 })) {
  const received: Incoming[] = [];
  const double = { url: "", received, answer, close: async () => {} };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const raw = Buffer.concat(chunks);
      const { method = "", url: path = "", headers } = incoming;
      const one = { method, path, headers, raw, text: textOf(raw, headers) };
      received.push(one);
      const told = double.answer(one);
      if (told === "cut") outgoing.destroy();
      else if (told !== "silent")
        setTimeout(() => outgoing.writeHead(told.status, told.headers).end(told.body), told.delayMs ?? 0);
    });
  });
  double.url = `http://127.0.0.1:${await listen(server)}`;
  double.close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  return double;
}

export type HttpDouble = Awaited<ReturnType<typeof startHttpDouble>>;
