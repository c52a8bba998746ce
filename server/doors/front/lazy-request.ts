import type { IncomingMessage, ServerResponse } from "node:http";
import { hungUp } from "@/server/ground/errors";

/** The members of Headers used by handlers, directly on Node's object. */
class LazyHeaders {
  constructor(private readonly raw: IncomingMessage["headers"]) {}
  get(name: string): string | null {
    const value = this.raw[name.toLowerCase()];
    return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
  }
  has(name: string): boolean {
    return this.raw[name.toLowerCase()] !== undefined;
  }
  *entries(): IterableIterator<[string, string]> {
    for (const name of Object.keys(this.raw)) yield [name, this.get(name) ?? ""];
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  forEach(fn: (value: string, name: string) => void): void {
    for (const [name, value] of this.entries()) fn(value, name);
  }
}

/**
 * A minimal Request for handlers: on Node 20, constructing undici's takes longer than all other work of a small
 * request. The body is the socket's own stream.
 */
class LazyRequest {
  readonly headers: LazyHeaders;
  #controller: AbortController | undefined;
  constructor(
    private readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
    private readonly origin: string,
  ) {
    this.headers = new LazyHeaders(incoming.headers);
  }
  get method(): string {
    return this.incoming.method ?? "GET";
  }
  get url(): string {
    return this.origin + (this.incoming.url ?? "/");
  }
  get body(): AsyncIterable<Uint8Array> | null {
    // Leaving the loop early (a body over the limit) must not destroy the socket before the answer.
    return this.incoming.iterator({ destroyOnReturn: false });
  }
  /** Aborts when the client disconnects before the answer is complete. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      this.#controller = controller;
      // A verb may ask late, after the client has disconnected.
      if (this.outgoing.closed && !this.outgoing.writableFinished) controller.abort(hungUp());
      this.outgoing.once("close", () => {
        if (!this.outgoing.writableFinished) controller.abort(hungUp());
      });
    }
    return this.#controller.signal;
  }
}

/** Converts a Node request for a route handler. */
export function lazyRequest(incoming: IncomingMessage, outgoing: ServerResponse, origin: string): Request {
  return new LazyRequest(incoming, outgoing, origin) as unknown as Request;
}
