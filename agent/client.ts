import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { linkedTo } from "./abort";
import { textOf } from "./body";
import type { Diagnostics } from "./diagnostics";
import { messageOf } from "./message-of";

const compress = promisify(gzip);

/** Smaller bodies grow under gzip. */
const GZIP_FROM_BYTES = 512;
const REQUEST_TIMEOUT_MS = 30_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** Longest pause accepted from a server: a timer of more than 24 days fires at once. */
const MAX_ASKED_MS = 3_600_000;
/** Statuses that end an agent if its server sends them; proxies and captive portals send them for other reasons. */
const TURNED_AWAY = [401, 403, 404, 407];

export type Method = "POST" | "PUT";
/** `body` is as promised by the server's schema; older agents also parse newer answers. */
export type Reply<Body = unknown> =
  | { kind: "ok"; body: Body }
  /** A 4xx: retrying would not help. */
  | { kind: "refused"; status: number; detail: string }
  /** All attempts failed, or the program is stopping. */
  | { kind: "unreachable"; detail: string };

type Sent = { method: Method; path: string; body: object; idempotencyKey?: string };
type Attempt<Body> = Reply<Body> | { kind: "retry"; detail: string; afterMs: number };

/** Full jitter: a random wait up to the doubled one, so that a fleet does not return in step. */
export function backoffMs(attempt: number, random: () => number): number {
  return Math.round(random() * Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt));
}

/** Retry-After in milliseconds, at most an hour: seconds or an HTTP date; 0 if missing or invalid. */
export function retryAfterMs(header: string | null, now: number): number {
  if (!header) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(MAX_ASKED_MS, Math.max(0, ms));
}

type ClientOptions = {
  url: string;
  diagnostics: Diagnostics;
  /** Aborts waits and requests. */
  signal: AbortSignal;
  /** Attempts per request; by default unlimited. */
  maxAttempts?: number;
  random?: () => number;
};

/** Client of the server. The caller awaits each request, so only one is in flight. */
export class Client {
  token: string | undefined;
  /** True between a failed attempt and the next success. */
  failing = false;

  constructor(private readonly options: ClientOptions) {}

  /** Sends until the server accepts or refuses. Retries 429, 5xx and network errors. */
  send<Body>(method: Method, path: string, body: object): Promise<Reply<Body>> {
    return this.sendUntilAnswered({ method, path, body });
  }

  /** POST with an Idempotency-Key: a repeat, even by a later run, gets the same answer. */
  sendOnce<Body>(path: string, body: object, idempotencyKey: string): Promise<Reply<Body>> {
    return this.sendUntilAnswered({ method: "POST", path, body, idempotencyKey });
  }

  private async sendUntilAnswered<Body>(sent: Sent): Promise<Reply<Body>> {
    const { signal, maxAttempts = Number.POSITIVE_INFINITY, random = Math.random } = this.options;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.attempt<Body>(sent);
      if (outcome.kind !== "retry") {
        if (outcome.kind === "ok") this.noteRecovery();
        return outcome;
      }
      this.noteFailure(sent.path, outcome.detail);
      if (attempt + 1 >= maxAttempts || signal.aborted) return { kind: "unreachable", detail: outcome.detail };
      const wait = outcome.afterMs + backoffMs(attempt, random);
      await sleep(wait, undefined, { signal }).catch(() => {});
      if (signal.aborted) return { kind: "unreachable", detail: "the agent is being stopped" };
    }
  }

  private async attempt<Body>(sent: Sent): Promise<Attempt<Body>> {
    const linked = linkedTo(this.options.signal, REQUEST_TIMEOUT_MS);
    try {
      const response = await this.fetch(sent, linked.signal);
      const text = await textOf(response, linked.signal);
      if (response.ok) return { kind: "ok", body: text ? JSON.parse(text) : undefined };
      const { isProblem, detail: reason } = describe(text);
      const detail = `${response.status} ${reason}`.trim();
      const isAnswer = isProblem || !TURNED_AWAY.includes(response.status);
      // The first attempt of the same request is still running.
      const isUnderWay = sent.idempotencyKey && response.status === 409 && response.headers.has("retry-after");
      if (response.status !== 429 && response.status < 500 && isAnswer && !isUnderWay)
        return { kind: "refused", status: response.status, detail };
      return { kind: "retry", detail, afterMs: retryAfterMs(response.headers.get("retry-after"), Date.now()) };
    } catch (error) {
      // fetch only reports failure; the reason is its cause.
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
      return { kind: "retry", detail: cause || messageOf(error), afterMs: 0 };
    } finally {
      linked.release();
    }
  }

  private async fetch({ method, path, body, idempotencyKey }: Sent, signal: AbortSignal): Promise<Response> {
    const json = Buffer.from(JSON.stringify(body));
    const zipped = json.length >= GZIP_FROM_BYTES;
    return fetch(`${this.options.url}/api/v1${path}`, {
      method,
      body: zipped ? await compress(json) : json,
      headers: {
        "Content-Type": "application/json",
        ...(zipped ? { "Content-Encoding": "gzip" } : {}),
        ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
        ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
      },
      redirect: "error",
      signal,
    });
  }

  /** Logs once when the server becomes unreachable and once when it returns, not per retry. */
  private noteFailure(path: string, detail: string): void {
    if (!this.failing) this.options.diagnostics.warn("transport", "the server cannot be reached", { path, detail });
    this.failing = true;
  }

  private noteRecovery(): void {
    if (this.failing) this.options.diagnostics.info("transport", "the server can be reached again");
    this.failing = false;
  }
}

/** Error in a body, and whether it is the server's problem+json. */
function describe(text: string): { isProblem: boolean; detail: string } {
  try {
    const { code, detail }: { code?: unknown; detail?: unknown } = JSON.parse(text);
    return { isProblem: typeof code === "string", detail: String(detail ?? "") };
  } catch {
    return { isProblem: false, detail: text.slice(0, 200) };
  }
}
