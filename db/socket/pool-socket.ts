import { Socket } from "node:net";

/** PostgreSQL or a pooler ended the connection or refused the client. */
class ConnectionError extends Error {
  override name = "ConnectionError";

  /**
   * @param code SQLSTATE, if PostgreSQL gave one.
   * @param wasReady Whether the client had been accepted.
   */
  constructor(
    message: string,
    readonly code: string,
    readonly wasReady: boolean,
  ) {
    super(message);
  }
}

/** True if an error is the end of a connection in use, with any SQLSTATE. */
export const isConnectionEnd = (error: unknown): boolean => error instanceof ConnectionError && error.wasReady;

const [ERROR, READY] = [0x45, 0x5a];
const HEAD_BYTES = 5;

/** Fields of an ErrorResponse by letter: `V` severity, `C` SQLSTATE, `M` message. */
const fieldsOf = (body: Buffer): Partial<Record<string, string>> =>
  Object.fromEntries(
    body
      .toString()
      .split("\0")
      .map((field) => [field[0], field.slice(1)]),
  );

/** PostgreSQL ends the connection after such an error. `V` is `S` untranslated; some poolers only send `S`. */
const isFatal = ({ V, S }: Partial<Record<string, string>>) => /^(FATAL|PANIC)$/.test(V ?? S ?? "");

/** Follows PostgreSQL's messages (a letter, length and body) up to the error that ends the connection. */
class BackendMessages {
  /** Start of a message whose length, or error, is incomplete. */
  #begun = Buffer.alloc(0);
  /** Remaining bytes of a skipped message. */
  #toCome = 0;
  /** Whether PostgreSQL has accepted the client. Before that any error ends the connection. */
  isReady = false;

  /** @returns the error that ends the connection, and its offset in the chunk (0: at or before its start). */
  read(chunk: Buffer): { error: Error; at: number } | undefined {
    const before = this.#begun.length;
    const bytes = before === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
    let at = this.#toCome;
    while (at + HEAD_BYTES <= bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      if (bytes[at] === READY) this.isReady = true;
      if (bytes[at] === ERROR) {
        if (end > bytes.length) break;
        const fields = fieldsOf(bytes.subarray(at + HEAD_BYTES, end));
        if (!this.isReady || isFatal(fields)) {
          const error = new ConnectionError(fields.M ?? "", fields.C ?? "", this.isReady);
          return { error, at: Math.max(0, at - before) };
        }
      }
      at = end;
    }
    this.#toCome = Math.max(0, at - bytes.length);
    this.#begun = Buffer.from(bytes.subarray(at));
    return;
  }
}

/**
 * A socket that reports its error and its end together, error first; treats a clean end, a refusal and a FATAL error of
 * PostgreSQL as errors.
 *
 * Needed for three properties of postgres.js 3.4. A connection closed during a statement keeps holding it; if
 * PostgreSQL refuses the next socket (starting up, or login revoked), the refusal is taken for an answer to the old
 * statement, and the new one waits while postgres.js reconnects forever: only an error of the socket reaches it. An
 * error is kept until PostgreSQL is ready for the next statement, which after a FATAL one only happens on the next
 * connection, whose first statement then fails with it. And a statement sent between a socket's error and its end, a
 * tick apart, is lost. Under TLS postgres.js uses its own socket, out of reach here: after a refusal statements wait
 * until accepted, and after a FATAL error the next one fails with it.
 */
export class PoolSocket extends Socket {
  /** Ends silently: postgres.js reconnects with its current statement. */
  isGivenUp = false;
  /** From the startup message on, without TLS. */
  #messages: BackendMessages | undefined;
  #error: Error | undefined;

  expectMessages(): void {
    this.#messages = new BackendMessages();
  }

  /** Passes on data before an error that ends the connection; that error becomes the socket's. */
  #emitData(chunk: Buffer, messages: BackendMessages): boolean {
    const last = messages.read(chunk);
    if (!last) return super.emit("data", chunk);
    this.#messages = undefined;
    if (messages.isReady && last.at > 0) super.emit("data", chunk.subarray(0, last.at));
    this.destroy(last.error);
    return true;
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === "data" && this.#messages && args[0] instanceof Buffer) return this.#emitData(args[0], this.#messages);
    if (event === "error" && args[0] instanceof Error) {
      this.#error = args[0];
      return true;
    }
    if (event !== "close") return super.emit(event, ...args);
    // Under TLS no listener remains here.
    const isHeard = !this.isGivenUp && this.listenerCount("error") > 0;
    if (isHeard) {
      const closed = "the database ended the connection";
      const wasReady = this.#messages?.isReady ?? false;
      super.emit("error", this.#error ?? new ConnectionError(closed, "CONNECTION_CLOSED", wasReady));
    }
    return super.emit("close", false);
  }
}
