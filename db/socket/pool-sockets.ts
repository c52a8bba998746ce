import type { Socket } from "node:net";
import { PoolSocket } from "./pool-socket";

/** Options that postgres.js passes to a socket factory. */
type Target = { host: string[]; port: number[]; path?: string | false; sslnegotiation?: string | null };

/** First message of a connection after its length: startup, TLS request, cancel request. */
const STARTUP = 196_608;
const FIRST_CODES = new Set([STARTUP, 80_877_103, 80_877_102]);
const firstCodeOf = (message: Uint8Array) => (message.length < 8 ? 0 : Buffer.from(message).readUInt32BE(4));

/** Maximum in a row; a buffer is full after a dozen greetings. */
const MAX_SILENT = 50;

/**
 * Creates a pool's sockets so that a connection that died at a bad moment recovers. postgres.js 3.4 writes on the next
 * tick; if the socket closes in between, it forgets the write but believes that one is pending. Later bytes on that
 * connection, starting with the next socket's greeting, stay in the buffer until it holds 1,024, and requests wait for
 * the connect timeout one after the other. Here a socket without a greeting is closed two ticks later, as is one that
 * starts with left-over bytes: postgres.js reconnects at once, a dozen times within milliseconds, and recovers. Remove
 * this file when https://github.com/porsager/postgres/pull/1176 or a similar fix is released.
 */
export function poolSockets(): (target: Target) => Socket {
  let created = 0;
  let silent = 0;
  return ({ host, port, path, sslnegotiation }) => {
    const at = created++ % host.length;
    // postgres.js reads these names to check the certificate.
    const socket = Object.assign(new PoolSocket(), { host: host[at], port: port[at] });
    if (path) socket.connect(path);
    else socket.connect(port[at] ?? 5432, host[at] ?? "localhost");
    // With direct TLS it bypasses this socket's write.
    let hasGreeted = sslnegotiation === "direct";
    const abandon = () => {
      silent += 1;
      if (silent > MAX_SILENT) return;
      socket.isGivenUp = true;
      socket.destroy();
    };
    // After connect(), which restores the socket's own write.
    const write = socket.write.bind(socket);
    const first = (message: Uint8Array, done?: (error?: Error | null) => void): boolean => {
      if (hasGreeted) return write(message, done);
      hasGreeted = true;
      const code = firstCodeOf(message);
      if (code === STARTUP) socket.expectMessages();
      if (FIRST_CODES.has(code)) silent = 0;
      else abandon();
      return write(message, done);
    };
    Object.assign(socket, { write: first });
    setImmediate(() =>
      setImmediate(() => {
        if (!hasGreeted) abandon();
      }),
    );
    return socket;
  };
}
