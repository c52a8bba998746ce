import { createServer, type IncomingHttpHeaders } from "node:http";
import { portOf } from "./port-of";

type Received = { headers: IncomingHttpHeaders; body: string };
export type WebhookReceiver = {
  url: string;
  received: Received[];
  answer: { status: number; headers?: Record<string, string>; body?: string; delayMs?: number };
  close: () => Promise<void>;
};

/** A real HTTP server on loopback that stores posts. */
export function startWebhookReceiver(): Promise<WebhookReceiver> {
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
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const port = portOf(server);
      const close = () =>
        new Promise<void>((closed) => {
          server.closeAllConnections();
          server.close(() => closed());
        });
      resolve({ url: `http://127.0.0.1:${port}/hook`, received, answer, close });
    });
  });
}
