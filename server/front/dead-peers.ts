import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { shared } from "@/server/shared";

const LOOK_MS = 5_000;
/** A peer that has acknowledged nothing for so long is gone: lines in real trouble recover sooner or reconnect. */
const DEAD_AFTER_MS = 15_000;
const PROBE_AFTER_MS = 10_000;
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** An end of a connection as /proc/net/tcp spells it: 32-bit words in the machine's byte order, then the port. */
export function procAddress(address: string, port: number): string {
  const bytes = ipaddr.parse(address.split("%")[0] as string).toByteArray();
  let hex = "";
  for (let at = 0; at < bytes.length; at += 4) hex += Buffer.from(bytes.slice(at, at + 4).reverse()).toString("hex");
  return `${hex}:${port.toString(16).padStart(4, "0")}`.toUpperCase();
}

/** The remote ends, with our port, of connections in which the kernel sends again and again and hears nothing. */
export function unanswered(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const [, local, remote, , , , retransmits] = line.trim().split(/\s+/);
    if (!local || !remote || !retransmits || !/^[0-9A-F]+$/.test(retransmits) || Number.parseInt(retransmits, 16) === 0)
      return [];
    return [`${local.split(":")[1]} ${remote}`];
  });
}

type Watched = { sockets: Map<Socket, string>; silentSince: Map<string, number>; timer?: NodeJS.Timeout };
const watched = () => shared("dead-peers", (): Watched => ({ sockets: new Map(), silentSince: new Map() }));

async function look(): Promise<void> {
  const { sockets, silentSince } = watched();
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

/**
 * Ends the connection of an answer that stays open when its peer has vanished without a word (power, cable, firewall).
 * The kernel itself gives up after a quarter of an hour, and Node cannot set TCP_USER_TIMEOUT; but an event stream
 * writes every few seconds, and on Linux the kernel tells what it has sent in vain. Elsewhere keep-alive must do.
 */
export function watchPeer(socket: Socket | null): void {
  const { remoteAddress, remotePort, localPort } = socket ?? {};
  if (!socket || !remoteAddress || !remotePort || !localPort) return;
  socket.setKeepAlive(true, PROBE_AFTER_MS);
  if (process.platform !== "linux") return;
  const state = watched();
  const local = localPort.toString(16).padStart(4, "0").toUpperCase();
  state.sockets.set(socket, `${local} ${procAddress(remoteAddress, remotePort)}`);
  state.timer ??= setInterval(() => void look(), LOOK_MS).unref();
  socket.once("close", () => {
    state.sockets.delete(socket);
    if (state.sockets.size > 0) return;
    clearInterval(state.timer);
    delete state.timer;
  });
}
