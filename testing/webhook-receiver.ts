import { createServer, type IncomingHttpHeaders } from "node:http";
import { listen } from "./port-of";

type Received = { headers: IncomingHttpHeaders; body: string };
export type WebhookReceiver = {
  url: string;
  received: Received[];
  answer: { status: number; headers?: Record<string, string>; body?: string; delayMs?: number };
  close: () => Promise<void>;
};

/** A real HTTP server on loopback that stores posts. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const answer: WebhookReceiver["answer"] = { status: 204 };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      received.push({ headers: incoming.headers, body: Buffer.concat(chunks).toString("utf8") });
      setTimeout(() => outgoing.writeHead(answer.status, answer.headers).end(answer.body), answer.delayMs ?? 0);
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}/hook`;
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  return { url, received, answer, close };
}
