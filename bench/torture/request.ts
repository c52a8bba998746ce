import { type Agent, type ClientRequest, type OutgoingHttpHeaders, request } from "node:http";

/** Requests by node's own client: cheap, with any header, and able to keep sending after the answer. */

export type Body = string | Uint8Array | ((to: ClientRequest) => void);
type Sent = { headers: OutgoingHttpHeaders; method?: string; body?: Body; agent?: Agent; timeoutMs?: number };

/** Status 0: cut off, or silent for too long. `head`: the start of the body. */
export type Answered = { status: number; head: string; isSilent: boolean; ms: number };

const TIMEOUT_MS = 60_000;
const HEAD_BYTES = 1_000;

/** Without an agent the connection ends with the answer. */
export function send(url: string, { body, method = body ? "POST" : "GET", ...sent }: Sent): Promise<Answered> {
  const { headers, agent, timeoutMs = TIMEOUT_MS } = sent;
  const started = performance.now();
  return new Promise((resolve) => {
    let [head, isSilent] = ["", false];
    const done = (status: number) => {
      clearTimeout(timeout);
      resolve({ status, head, isSilent, ms: performance.now() - started });
      if (!agent) outgoing.destroy();
    };
    const outgoing = request(url, { method, headers, agent: agent ?? false }, (answer) => {
      answer.once("data", (chunk: Buffer) => {
        head = chunk.toString("utf8", 0, HEAD_BYTES);
      });
      answer.once("end", () => done(answer.statusCode ?? 0)).once("close", () => done(0));
      answer.resume();
    });
    const timeout = setTimeout(() => {
      isSilent = true;
      outgoing.destroy();
    }, timeoutMs);
    // A connection cut during a body is a refusal too.
    outgoing.once("error", () => done(0));
    if (typeof body === "function") body(outgoing);
    else outgoing.end(body);
  });
}
