import type { Socket } from "node:net";
import { z } from "zod";
import type { Destination, Message, Outcome } from "./destination";
import { checkMessage } from "./http";
import { checkBy, connectTo, hostFault, keySecret, outcomeOfFailure, tlsShape } from "./socket";
import { messageOf } from "./syslog-tls";

/** Unacknowledged messages allowed. */
const WINDOW = 128;
const OFFER = "relp_version=0\nrelp_software=trailmark\ncommands=syslog";
/** Answers of a receiver are short. */
const MAX_ANSWER_BYTES = 128 * 1024;

const config = z
  .strictObject({ ...tlsShape, port: tlsShape.port.default(2514), tls: z.boolean().default(true) })
  .superRefine(({ host, port, tls }, context) => {
    const message = hostFault({ host, port, tls });
    if (message) context.addIssue({ code: "custom", path: [tls ? "host" : "tls"], message });
  });
type Config = z.output<typeof config>;

/** A receiver's answer to a transaction. */
type Answer = { transaction: number; status: number; text: string };

/** A message, or the answer that refused it. */
type Sent = { seq: number | null; text: string };

class Refused extends Error {}

/** A frame: TXNR SP COMMAND SP DATALEN [SP DATA] LF. */
function frame(transaction: number, command: string, data = ""): Buffer {
  const bytes = Buffer.from(data);
  const head = Buffer.from(`${transaction} ${command} ${bytes.length}`);
  return Buffer.concat(
    bytes.length > 0 ? [head, Buffer.from(" "), bytes, Buffer.from("\n")] : [head, Buffer.from("\n")],
  );
}

/** Parses a receiver's answers frame by frame. @throws Refused for anything else */
class AnswerReader {
  #rest = Buffer.alloc(0);

  push(chunk: Buffer): Answer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const answers: Answer[] = [];
    for (;;) {
      const head = /^\n?(\d{1,9}) ([a-z]{1,32}) (\d{1,9})[ \n]/.exec(this.#rest.subarray(0, 64).toString("latin1"));
      if (!head) {
        if (this.#rest.length >= 64) throw new Refused("The receiver does not answer as RELP does.");
        return answers;
      }
      const [start, transaction, command, length] = [head[0].length, Number(head[1]), head[2], Number(head[3])];
      if (length > MAX_ANSWER_BYTES) throw new Refused("The receiver does not answer as RELP does.");
      const end = start + (length === 0 && head[0].endsWith("\n") ? 0 : length + 1);
      if (this.#rest.length < end) return answers;
      const data = this.#rest.subarray(start, start + length).toString("utf8");
      this.#rest = this.#rest.subarray(end);
      if (command === "serverclose") throw new Refused("The receiver closed the session.");
      if (command !== "rsp") throw new Refused("The receiver does not answer as RELP does.");
      answers.push({ transaction, status: Number.parseInt(data, 10), text: data.split("\n")[0] ?? "" });
    }
  }
}

/** A session over a connection: sends messages within a window and tracks acknowledgements. */
class Session {
  readonly #reader = new AnswerReader();
  #next = 1;
  #waiting = new Map<number, (answer: Answer) => void>();
  #failed: unknown = null;
  #fail: (error: unknown) => void = () => {};
  readonly failure: Promise<never>;

  constructor(private readonly socket: Socket) {
    this.failure = new Promise<never>((_, reject) => {
      this.#fail = (error) => {
        this.#failed ??= error;
        reject(error);
      };
    });
    this.failure.catch(() => {});
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    socket.on("data", (chunk: Buffer) => {
      try {
        for (const answer of this.#reader.push(chunk)) {
          this.#waiting.get(answer.transaction)?.(answer);
          this.#waiting.delete(answer.transaction);
        }
      } catch (error) {
        this.#fail(error);
        socket.destroy();
      }
    });
  }

  /** @returns the answer to a command @throws the error that ended the connection first */
  request(command: string, data?: string): Promise<Answer> {
    const transaction = this.#next++;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(transaction, resolve));
    this.socket.write(frame(transaction, command, data));
    return Promise.race([answer, this.failure]);
  }

  async open(): Promise<void> {
    const { status, text } = await this.request("open", OFFER);
    if (status !== 200) throw new Refused(`The receiver refused the session: ${text}`);
  }

  /**
   * Sends all, at most WINDOW unanswered. @returns refused messages @throws when the connection ended before all was
   * answered
   */
  async sendAll(messages: readonly Sent[]): Promise<Sent[]> {
    const refused: Sent[] = [];
    let at = 0;
    const sender = async () => {
      for (let message = messages[at++]; message; message = messages[at++]) {
        const { status, text } = await this.request("syslog", message.text);
        if (status !== 200) refused.push({ seq: message.seq, text });
      }
    };
    await Promise.all(Array.from({ length: WINDOW }, sender));
    return refused;
  }

  /** Closes the session; the receiver need not answer. */
  close(): void {
    if (this.#failed === null) this.socket.end(frame(this.#next++, "close"));
  }
}

async function deliver(socket: Socket, { lines, organization: { slug } }: Message): Promise<Sent[]> {
  const session = new Session(socket);
  try {
    await session.open();
    return await session.sendAll(lines.map((line) => ({ seq: line.seq, text: messageOf(line, slug) })));
  } finally {
    session.close();
  }
}

function outcomeOf({ lines }: Message, refused: readonly Sent[]): Outcome {
  const [first] = refused;
  if (!first) return { kind: "acknowledged", receipt: { acknowledged: lines.length } };
  // 500 is a failure of the receiver, not of the message.
  return { kind: "again", code: "500", message: `The receiver refused ${refused.length} messages: ${first.text}` };
}

/** RELP, rsyslog's protocol with an acknowledgement per message. */
export const relp: Destination<Config> = {
  config,
  secret: keySecret,
  acknowledges: true,
  limits: { rows: 1_000, bytes: 1024 * 1024 },
  check(target) {
    return checkBy(target, async (socket) => {
      const refused = await deliver(socket, checkMessage(target.now));
      const ok = refused.length === 0;
      return [
        { step: "write", ok: true, message: "The receiver accepts a message." },
        { step: "acknowledge", ok, message: ok ? "The receiver acknowledged it." : (refused[0]?.text ?? "") },
      ];
    });
  },
  async send(target, batch) {
    try {
      return outcomeOf(batch, await deliver(await connectTo(target), batch));
    } catch (error) {
      if (error instanceof Refused) return { kind: "again", code: "relp", message: error.message };
      return outcomeOfFailure(error);
    }
  },
  describe: ({ host, port }) => `${host}:${port}`,
};
