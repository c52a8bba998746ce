import type { Socket } from "node:net";
import { PoolSocket } from "./pool-socket";

/** The part of its options that postgres.js hands to a socket factory. */
type Target = { host: string[]; port: number[]; path?: string | false; sslnegotiation?: string | null };

/** How the first message of a connection begins, behind its length: startup, TLS wanted, cancel a statement. */
const STARTUP = 196_608;
const FIRST_CODES = new Set([STARTUP, 80_877_103, 80_877_102]);
const firstCodeOf = (message: Uint8Array) => (message.length < 8 ? 0 : Buffer.from(message).readUInt32BE(4));

/** So often in a row at most; a buffer is full after a dozen greetings. */
const MAX_SILENT = 50;

/**
 * Makes the sockets of a pool so that a connection which died at a bad moment recovers. postgres.js 3.4 writes in the next
 * turn; when the socket closes in between, it forgets the write but still believes that one is due. Later bytes on that
 * connection, the next socket's greeting first, stay in the buffer until it holds 1,024: requests wait for the connect
 * timeout, one after the other. Here a socket that receives no greeting is closed two turns later, as is one that begins
 * with left-over bytes: postgres.js connects again at once, a dozen times within milliseconds, and has recovered. This file
 * can go when https://github.com/porsager/postgres/pull/1176 or a similar fix is in a release.
 */
export function poolSockets(): (target: Target) => Socket {
  let created = 0;
  let silent = 0;
  return ({ host, port, path, sslnegotiation }) => {
    const at = created++ % host.length;
    // The names are read by postgres.js, for what a certificate must say.
    const socket = Object.assign(new PoolSocket(), { host: host[at], port: port[at] });
    if (path) socket.connect(path);
    else socket.connect(port[at] ?? 5432, host[at] ?? "localhost");
    // Where TLS begins without being asked for, it writes past this socket's own write.
    let hasGreeted = sslnegotiation === "direct";
    const abandon = () => {
      silent += 1;
      if (silent > MAX_SILENT) return;
      socket.isGivenUp = true;
      socket.destroy();
    };
    // After connect(), which puts the socket's own write back.
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
