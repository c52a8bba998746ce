import type { Socket } from "node:net";
import { z } from "zod";
import type { Destination, Line } from "./destination";
import { checkBy, connectTo, hostFault, keySecret, outcomeOfFailure, tlsShape } from "./socket";

/** Facility 13 (log audit), severity 6 (informational). */
const PRIORITY = 13 * 8 + 6;
const BOM = "\ufeff";

const config = z
  .strictObject({ ...tlsShape, port: tlsShape.port.default(6514) })
  .superRefine(({ host, port }, context) => {
    const message = hostFault({ host, port, tls: true });
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
function deliver(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", (isFailed) => (isFailed ? undefined : resolve()));
    socket.resume();
    socket.end(bytes);
  });
}

/** TLS client certificates are checked after the handshake: only a receiver that stays connected has accepted. */
const endpointOf = <T extends { config: Config }>(target: T) => ({
  ...target,
  config: { ...target.config, tls: true },
});

/** Syslog over TLS (RFC 5424, RFC 5425). */
export const syslogTls: Destination<Config> = {
  config,
  secret: keySecret,
  acknowledges: false,
  limits: { rows: 1_000, bytes: 1024 * 1024 },
  check(target) {
    const text = JSON.stringify({ type: "trailmark.check", at: target.now.toISOString() });
    const line: Line = { id: "check", seq: null, time: target.now, text };
    return checkBy(endpointOf(target), async (socket) => {
      await deliver(socket, framed(messageOf(line, "trailmark")));
      return [{ step: "write", ok: true, message: "The message was sent. Syslog has no acknowledgement." }];
    });
  },
  async send(target, { lines, organization }) {
    try {
      const socket = await connectTo(endpointOf(target));
      await deliver(socket, Buffer.concat(lines.map((line) => framed(messageOf(line, organization.slug)))));
      return { kind: "acknowledged", receipt: { sent: lines.length } };
    } catch (error) {
      return outcomeOfFailure(error, target.now);
    }
  },
  describe: ({ host, port }) => `${host}:${port}`,
};
