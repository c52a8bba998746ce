import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { portOf } from "@/testing/port-of";
import { isReady, type Server } from "@/testing/server";

/** Servers with one fault each, for the controls: a line that does not find the fault proves nothing. */

/** A plain server for as long as fn takes. */
export async function withListener<T>(listener: RequestListener, fn: (base: string) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await fn(`http://127.0.0.1:${portOf(server)}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse };
/** What is wrong with it: answers on its own, or passes the request on to the product. */
export type Fault = (exchange: Exchange, pass: () => void, server: Server) => unknown;

function passOn({ incoming, outgoing }: Exchange, { port }: Server): void {
  const { method, url, headers } = incoming;
  const inner = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  inner.once("error", () => outgoing.destroy());
  outgoing.once("close", () => inner.destroy());
  incoming.pipe(inner);
}

/** The product with a fault, as another server that knows the same data; the product may be killed and started behind it. */
export const withFault = <T>(server: Server, fault: Fault, fn: (broken: Server) => Promise<T>): Promise<T> =>
  withListener(
    (incoming, outgoing) => void fault({ incoming, outgoing }, () => passOn({ incoming, outgoing }, server), server),
    (base) => fn({ ...server, base }),
  );

const EARLY_MS = 150;

/** Says that it has taken what is posted and keeps it in its memory for a moment. */
export const answersEarly: Fault = async ({ incoming, outgoing }, _, { port }) => {
  const { method, url, headers } = incoming;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  outgoing.writeHead(202).end();
  await sleep(EARLY_MS);
  const inner = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => answer.resume());
  inner.on("error", () => {}).end(Buffer.concat(chunks));
};

const TIMEOUT_MS = 2_500;

/** Records only once the database answers, or its patience is at an end. */
export const waitsForDatabase: Fault = async (_, pass, { port }) => {
  const until = Date.now() + TIMEOUT_MS;
  while (Date.now() < until && !(await isReady(`http://127.0.0.1:${port}`))) await sleep(50);
  pass();
};

/** Answers so itself where the address matches. */
export const answersAt =
  (address: RegExp, status: number, body: object): Fault =>
  ({ incoming, outgoing }, pass) => {
    if (!address.test(incoming.url ?? "")) return pass();
    incoming.resume();
    outgoing.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };
