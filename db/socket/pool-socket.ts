import { Socket } from "node:net";

/** PostgreSQL, or a pooler before it, ended the connection or did not let the client in. */
class ConnectionError extends Error {
  override name = "ConnectionError";

  /**
   * @param code SQLSTATE where PostgreSQL gave one.
   * @param wasReady Whether the client had been let in.
   */
  constructor(
    message: string,
    readonly code: string,
    readonly wasReady: boolean,
  ) {
    super(message);
  }
}

/** Whether an error is the end of a connection that was in use, with whatever SQLSTATE. */
export const isConnectionEnd = (error: unknown): boolean => error instanceof ConnectionError && error.wasReady;

const [ERROR, READY] = [0x45, 0x5a];
const HEAD_BYTES = 5;

/** Fields of an ErrorResponse by their letters: `V` severity, `C` SQLSTATE, `M` message. */
const fieldsOf = (body: Buffer): Partial<Record<string, string>> =>
  Object.fromEntries(
    body
      .toString()
      .split("\0")
      .map((field) => [field[0], field.slice(1)]),
  );

/** PostgreSQL ends the connection after such an error. `V` is `S` untranslated; some poolers send `S` alone. */
const isFatal = ({ V, S }: Partial<Record<string, string>>) => /^(FATAL|PANIC)$/.test(V ?? S ?? "");

/** Follows the messages of PostgreSQL, each a letter, its length and as many bytes, to the error that ends the connection. */
class BackendMessages {
  /** The beginning of a message whose length, or whose error, is not there yet. */
  #begun = Buffer.alloc(0);
  /** How many bytes of a message that needs no reading are still to come. */
  #toCome = 0;
  /** Whether PostgreSQL has let the client in. Until then any error ends the connection. */
  isReady = false;

  /** @returns the error that ends the connection, and where in the chunk it begins (0: there, or before it). */
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
 * A socket that reports its error and its end in one go, the error first: an end without an error is made one, and so are
 * not being let in and a FATAL error of PostgreSQL.
 *
 * Three things of postgres.js 3.4 ask for it. A connection that closed under a statement continues to hold it; if PostgreSQL
 * does not let the next socket in (it starts up, or the role lost its login), the refusal is taken for an answer to that
 * old statement, and the new one waits while postgres.js connects again and again: only an error of the socket reaches
 * it. An error is kept until PostgreSQL is ready for the next statement, which after a FATAL one it is on the next
 * connection only: the first statement there fails with it. And a statement sent between a socket's error and its end,
 * which are a turn apart, is never heard of again. Under TLS postgres.js has its own socket, out of reach from here: after
 * a refusal statements wait until they are let in, and after a FATAL error the next one fails with it.
 */
export class PoolSocket extends Socket {
  /** Ends without a word: postgres.js connects again with the statement it has. */
  isGivenUp = false;
  /** From the startup message on, without TLS. */
  #messages: BackendMessages | undefined;
  #error: Error | undefined;

  /** From here on the messages of PostgreSQL come. */
  expectMessages(): void {
    this.#messages = new BackendMessages();
  }

  /** Hands on what came before an error that ends the connection; that error becomes the socket's own. */
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
    // Under TLS no listener is left here.
    const isHeard = !this.isGivenUp && this.listenerCount("error") > 0;
    if (isHeard) {
      const closed = "the database ended the connection";
      const wasReady = this.#messages?.isReady ?? false;
      super.emit("error", this.#error ?? new ConnectionError(closed, "CONNECTION_CLOSED", wasReady));
    }
    return super.emit("close", false);
  }
}
