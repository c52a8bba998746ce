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
const HEAD_BYTES = 5;

/** What an ErrorResponse says by its letters: `V` how bad it is, `C` its SQLSTATE, `M` its message. */
const fieldsOf = (body: Buffer): Partial<Record<string, string>> =>
  Object.fromEntries(
    body
      .toString()
      .split("\0")
      .map((field) => [field[0], field.slice(1)]),
  );

/** Poolers of old name the severity in `S` alone, as PostgreSQL did before 9.6. */
const isFatal = ({ V, S }: Partial<Record<string, string>>) => /^(FATAL|PANIC)$/.test(V ?? S ?? "");

/** Follows what PostgreSQL says, in messages of a letter, their length and as many bytes, up to its last word. */
class Answers {
  /** The beginning of a message whose length, or whose error, is not there yet. */
  #begun = Buffer.alloc(0);
  /** How many bytes of a message that needs no reading are still to come. */
  #toCome = 0;
  /** Whether PostgreSQL has let the client in. Until then any error ends the connection. */
  isIn = false;

  /** @returns why PostgreSQL ends the connection, and where in the chunk it says so; undefined while it does not. */
  read(chunk: Buffer): { error: Error; at: number } | undefined {
    const before = this.#begun.length;
    const bytes = before === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
    let at = this.#toCome;
    while (at + HEAD_BYTES <= bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      if (bytes[at] === READY) this.isIn = true;
      if (bytes[at] === ERROR) {
        if (end > bytes.length) break;
        const fields = fieldsOf(bytes.subarray(at + HEAD_BYTES, end));
        if (!this.isIn || isFatal(fields))
          return { error: new ConnectionError(fields.M ?? "", fields.C ?? ""), at: Math.max(0, at - before) };
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
 * not being let in and the last word of PostgreSQL (FATAL).
 *
 * Three things of postgres.js 3.4 ask for it. A connection that closed under a statement continues to hold it; if PostgreSQL
 * does not let the next socket in (it starts up, or the role lost its login), the refusal is taken for an answer to that
 * old statement, and the new one waits while postgres.js connects again and again: only an error of the socket reaches
 * it. Of a last word it makes an error when an answer follows, which is that to the first statement of the next
 * connection, even hours later. And a statement sent between a socket's error and its end, which are a turn apart, is
 * never heard of again. Under TLS postgres.js has its own socket, out of reach from here: such statements wait until they
 * are let in, and the first one after a last word fails with it.
 */
export class PoolSocket extends Socket {
  /** Ends without a word: postgres.js connects again with the statement it has. */
  isGivenUp = false;
  /** From the startup message on, without TLS. */
  #answers: Answers | undefined;
  #error: Error | undefined;

  /** From here on PostgreSQL says whether it lets the client in, then answers statements. */
  expectAnswers(): void {
    this.#answers = new Answers();
  }

  /** Hands on what is said before a last word; the rest is this socket's error. */
  #emitData(chunk: Buffer, answers: Answers): boolean {
    const last = answers.read(chunk);
    if (!last) return super.emit("data", chunk);
    this.#answers = undefined;
    if (answers.isIn && last.at > 0) super.emit("data", chunk.subarray(0, last.at));
    this.destroy(last.error);
    return true;
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === "data" && this.#answers && args[0] instanceof Buffer) return this.#emitData(args[0], this.#answers);
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
