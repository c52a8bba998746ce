import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What answers may take to end by themselves; the rest of the shutdown's deadline is for what follows. */
const DRAIN_MS = 4_000;
const IDLE_SWEEP_MS = 50;

/**
 * Stops accepting, ends the streams and waits until every answer in flight is complete, for at most `limitMs`. Then every
 * connection is closed: a download that takes longer breaks off, which its client sees and its record says, and neither one
 * that sends no request nor one whose request does not end keeps what follows from being done.
 */
export async function drain(server: Server, closeStreams: () => void, limitMs = DRAIN_MS): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  closeStreams();
  // Keep-alive connections turn idle one after the other as their last answers end.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await Promise.race([closed, sleep(limitMs, undefined, { ref: false })]);
  clearInterval(sweep);
  server.closeAllConnections();
}
