import { Socket } from "node:net";

const PORT = 4222;
const GREETING_MS = 5_000;

/** Resolves when a server says what a NATS server says first. The signal ends the wait, and nothing of it stays open. */
function greetingOf(server: string, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(`nats://${server}`);
  return new Promise((resolve, reject) => {
    const socket = new Socket({ signal }).setTimeout(GREETING_MS, () => socket.destroy());
    socket.once("data", (bytes) => {
      if (bytes.toString("latin1").startsWith("INFO")) resolve(server);
      socket.destroy();
    });
    socket.on("error", reject);
    socket.once("close", () => reject(new Error(`${server} does not greet as a NATS server`)));
    socket.connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || PORT });
  });
}

/**
 * The first server that greets. The client leaves the sockets of its failed attempts open, which keeps a process alive for as
 * long as an address is silent: it is to dial only where somebody answers.
 * @returns null when none does, or when the signal ended it
 */
export async function findGreeting(servers: readonly string[], signal: AbortSignal): Promise<string | null> {
  const found = new AbortController();
  const until = AbortSignal.any([signal, found.signal]);
  try {
    return await Promise.any(servers.map((server) => greetingOf(server, until)));
  } catch {
    return null;
  } finally {
    found.abort();
  }
}
