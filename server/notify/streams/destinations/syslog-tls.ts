import type { Socket } from "node:net";
import { z } from "zod";
import type { Destination, Line, Message } from "./destination";
import { checkMessage } from "./http";
import { checkBy, connectTo, hostFault, keySecret, outcomeOfFailure, tlsShape } from "./socket";

/** Facility 13 (log audit), severity 6 (informational). */
const PRIORITY = 13 * 8 + 6;
const BOM = "\ufeff";

const config = z
  .strictObject({ ...tlsShape, port: tlsShape.port.default(6514) })
  .superRefine(({ host, port }, context) => {
    const message = hostFault({ host, port });
    if (message) context.addIssue({ code: "custom", path: ["host"], message });
  });
type Config = z.output<typeof config>;

/** A line as an RFC 5424 message: unchanged if already in that format, else as its text. */
export function messageOf({ time, text }: Line, host: string): string {
  if (/^<\d{1,3}>1 /.test(text)) return text;
  return `<${PRIORITY}>1 ${time.toISOString()} ${host} trailmark - - - ${BOM}${text}`;
}

/** A message prefixed with its length in octets (RFC 5425, 4.3). */
function framed(message: string): Buffer {
  const bytes = Buffer.from(message);
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes]);
}

/**
 * Writes and closes our side. If the receiver then closes its own, it has read everything; storage is never confirmed.
 */
function deliver(socket: Socket, { lines, organization }: Message): Promise<void> {
  const bytes = Buffer.concat(lines.map((line) => framed(messageOf(line, organization.slug))));
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", (isFailed) => (isFailed ? undefined : resolve()));
    socket.resume();
    socket.end(bytes);
  });
}

/** Syslog over TLS (RFC 5424, RFC 5425). */
export const syslogTls: Destination<Config> = {
  config,
  secret: keySecret,
  acknowledges: false,
  limits: { rows: 1_000, bytes: 1024 * 1024 },
  check(target) {
    return checkBy(target, async (socket) => {
      await deliver(socket, checkMessage(target.now));
      return [{ step: "write", ok: true, message: "The message was sent. Syslog has no acknowledgement." }];
    });
  },
  async send(target, batch) {
    try {
      await deliver(await connectTo(target), batch);
      return { kind: "acknowledged", receipt: { sent: batch.lines.length } };
    } catch (error) {
      return outcomeOfFailure(error);
    }
  },
  describe: ({ host, port }) => `${host}:${port}`,
};
