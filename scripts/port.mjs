import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { LaunchError } from "./run.mjs";

/** Wait for a stopping server to finish its requests, with some margin. */
const WAIT_MS = 12_000;

function isTaken(host, port) {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", (error) => done(error.code === "EADDRINUSE"));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => done(false)));
  });
}

/** A free port; undefined if the host cannot bind any, which the server reports. */
function freePort(host) {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(undefined));
    probe.listen({ host, port: 0 }, () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

/**
 * Waits until HOST and PORT are free, because after a restart the predecessor may still be draining. PORT 0 becomes a
 * free port, since the public address contains it before the server listens.
 * @throws LaunchError when another program keeps the port.
 */
export async function untilPortIsFree() {
  const host = process.env.HOST || "127.0.0.1";
  const port = Number(process.env.PORT || 3000);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return; // The server itself reports the fault.
  if (port === 0) {
    process.env.PORT = String((await freePort(host)) ?? 0);
    return;
  }
  const deadline = Date.now() + WAIT_MS;
  while (await isTaken(host, port)) {
    if (Date.now() > deadline)
      throw new LaunchError(`Port ${port} on ${host} is taken by another program. Set PORT to a free one.`);
    await sleep(100);
  }
}
