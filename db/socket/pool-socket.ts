import { Socket } from "node:net";

/** PostgreSQL, or what is before it, ended the connection or did not let the client in. */
class ConnectionError extends Error {
  override name = "ConnectionError";

  /** @param code SQLSTATE where PostgreSQL gave one. */
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

const [ERROR, READY] = [0x45, 0x5a];

/** The fields of an ErrorResponse by their letters: `C` its SQLSTATE, `M` its message. */
function refusalOf(fields: Buffer): Error {
  const values = Object.fromEntries(
    fields
      .toString()
      .split("\0")
      .map((field) => [field[0], field.slice(1)]),
  );
  return new ConnectionError(values.M ?? "", values.C ?? "");
}

/** Reads what PostgreSQL says until it lets a client in, in messages of a letter, their length and as many bytes. */
class Login {
  #unread = Buffer.alloc(0);
  isDone = false;

  /** @returns why PostgreSQL does not let the client in, where that is what it says. */
  read(chunk: Buffer): Error | undefined {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    while (this.#unread.length > 4) {
      const end = 1 + this.#unread.readUInt32BE(1);
      if (this.#unread.length < end) return;
      if (this.#unread[0] === ERROR) return refusalOf(this.#unread.subarray(5, end));
      this.isDone = this.#unread[0] === READY;
      if (this.isDone) return;
      this.#unread = this.#unread.subarray(end);
    }
    return;
  }
}

/**
 * A socket that reports its error and its end in one go, the error first: an end without an error is made one, and so is
 * not being let in.
 *
 * Two things of postgres.js 3.4 ask for it. A connection that closed under a statement continues to hold it; if PostgreSQL
 * does not let the next socket in (it starts up, or the role lost its login), the refusal is taken for an answer to that
 * old statement, and the new one waits while postgres.js connects again and again: only an error of the socket reaches
 * it. And a statement sent between a socket's error and its end, which are a turn apart, is never heard of again. Under
 * TLS postgres.js has its own socket, out of reach from here: such statements wait until they are let in.
 */
export class PoolSocket extends Socket {
  /** Ends without a word: postgres.js connects again with the statement it has. */
  isGivenUp = false;
  /** While PostgreSQL has not let the client in. */
  #login: Login | undefined;
  #error: Error | undefined;

  /** From here on PostgreSQL says whether it lets the client in. */
  expectLogin(): void {
    this.#login = new Login();
  }

  #isRefusal(chunk: unknown): boolean {
    if (!this.#login || !(chunk instanceof Buffer)) return false;
    const refusal = this.#login.read(chunk);
    if (this.#login.isDone || refusal) this.#login = undefined;
    if (refusal) this.destroy(refusal);
    return Boolean(refusal);
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === "data" && this.#login) return this.#isRefusal(args[0]) || super.emit(event, ...args);
    if (event === "error" && args[0] instanceof Error) {
      this.#error = args[0];
      return true;
    }
    if (event !== "close") return super.emit(event, ...args);
    // Under TLS no listener is left here.
    const isHeard = !this.isGivenUp && this.listenerCount("error") > 0;
    if (isHeard)
      super.emit("error", this.#error ?? new ConnectionError("the database ended the connection", "CONNECTION_CLOSED"));
    return super.emit("close", false);
  }
}
