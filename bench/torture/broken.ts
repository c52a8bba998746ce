import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { holdsInTime } from "@/bench/until";
import { listen, portOf } from "@/testing/port-of";
import { isReady, type Server } from "@/testing/server";

/** Servers with one fault each, for controls: a test that misses the fault proves nothing. */

/** A plain server for the duration of fn. */
export async function withListener<T>(listener: RequestListener, fn: (base: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await listen(server);
  try {
    return await fn(`http://127.0.0.1:${portOf(server)}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse };
/** Answers on its own, or passes the request on to the product. */
type Fault = (exchange: Exchange, pass: () => void, server: Server) => unknown;

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

/** The product behind a faulty server with the same data, or as it is; it may be killed and restarted. */
export const behind = <T>(server: Server, fault: Fault | null, fn: (reached: Server) => Promise<T>): Promise<T> =>
  fault === null
    ? fn(server)
    : withListener(
        (incoming, outgoing) =>
          void fault({ incoming, outgoing }, () => passOn({ incoming, outgoing }, server), server),
        (base) => fn({ ...server, base }),
      );

const EARLY_MS = 150;

/** Acknowledges posts at once and keeps them in memory for a moment. */
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

/** Records only after the database answers, or a timeout. */
export const waitsForDatabase: Fault = async (_, pass, { port }) => {
  await holdsInTime(() => isReady(`http://127.0.0.1:${port}`), { ms: TIMEOUT_MS });
  pass();
};

/** Gives this answer for matching addresses. */
export const answersAt =
  (address: RegExp, status: number, body: object): Fault =>
  ({ incoming, outgoing }, pass) => {
    if (!address.test(incoming.url ?? "")) return pass();
    incoming.resume();
    outgoing.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };
