import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";

/* Ends event streams whose peer vanished silently (power, cable, firewall). The kernel gives up after a quarter of an
   hour, and Node cannot set TCP_USER_TIMEOUT; but streams write every few seconds, and Linux lists unanswered
   retransmissions in /proc/net/tcp. Elsewhere TCP keep-alive must do. */

const POLL_MS = 5_000;
/** A peer that acknowledged nothing for this long is gone: slow lines recover sooner or reconnect. */
const DEAD_AFTER_MS = 15_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** One end of a connection as in /proc/net/tcp: 32-bit words in native byte order, then the port. */
export function procAddress(address: string, port: number): string {
  const bytes = ipaddr.parse(address.split("%", 1).join("")).toByteArray();
  let hex = "";
  for (let at = 0; at < bytes.length; at += 4) hex += Buffer.from(bytes.slice(at, at + 4).reverse()).toString("hex");
  return `${hex}:${port.toString(16).padStart(4, "0")}`.toUpperCase();
}

/** Connections that retransmit without acknowledgement, as local port and remote end. */
export function unanswered(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const [, local, remote, , , , retransmits] = line.trim().split(/\s+/);
    if (!local || !remote || !retransmits || !/^[0-9A-F]+$/.test(retransmits) || Number.parseInt(retransmits, 16) === 0)
      return [];
    return [`${local.split(":")[1]} ${remote}`];
  });
}

const sockets = new Map<Socket, string>();
const silentSince = new Map<string, number>();
let timer: NodeJS.Timeout | undefined;

async function poll(): Promise<void> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, "latin1").catch(() => "")));
  const silent = new Set(tables.flatMap(unanswered));
  for (const key of silentSince.keys()) if (!silent.has(key)) silentSince.delete(key);
  const now = Date.now();
  for (const [socket, key] of sockets) {
    if (!silent.has(key)) continue;
    const since = silentSince.get(key) ?? now;
    silentSince.set(key, since);
    if (now - since >= DEAD_AFTER_MS) socket.destroy();
  }
}

/** Watches the connection of a long-lived answer, and closes it when its peer is gone. */
export function watchPeer(socket: Socket | null): void {
  const { remoteAddress, remotePort, localPort } = socket ?? {};
  if (!socket || sockets.has(socket) || !remoteAddress || !remotePort || !localPort) return;
  socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
  if (process.platform !== "linux") return;
  const local = localPort.toString(16).padStart(4, "0").toUpperCase();
  sockets.set(socket, `${local} ${procAddress(remoteAddress, remotePort)}`);
  timer ??= setInterval(() => void poll(), POLL_MS).unref();
  socket.once("close", () => {
    sockets.delete(socket);
    if (sockets.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
}
