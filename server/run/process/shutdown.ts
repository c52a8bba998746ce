import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Embedded } from "@/db/embedded/embedded";
import { log } from "@/server/ground/log";
import type { CurrentService } from "./current-service";

/** Time for answers to end by themselves; the deadline's remainder is for later steps. */
const DRAIN_MS = 4_000;
const IDLE_SWEEP_MS = 50;

/**
 * Stops accepting, ends the streams and waits up to `limitMs` for all answers in flight. Then closes every connection:
 * a longer download breaks off, visibly for its client and in its record, and idle or endless requests do not block the
 * rest.
 */
export async function drain(server: Server, closeStreams: () => void, limitMs = DRAIN_MS): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  closeStreams();
  // Keep-alive connections become idle as their last answers end.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await Promise.race([closed, sleep(limitMs, undefined, { ref: false })]);
  clearInterval(sweep);
  server.closeAllConnections();
}

type Parts = {
  server: Server;
  service: CurrentService;
  closeNext: () => Promise<void>;
  embedded: Embedded | null;
};

/** Maximum time from SIGTERM to exit; unflushed events are in the spool and replayed at the next start. */
const DEADLINE_MS = 9_000;

/** Handler of SIGTERM and SIGINT: drains, flushes, closes, in this order, within the deadline; once. */
export function shutdown(parts: Parts): () => void {
  let stopping = false;
  return () => {
    if (stopping) return;
    stopping = true;
    log.info("stopping");
    const deadline = setTimeout(() => {
      log.warn("not everything ended in time; the spool keeps what is unflushed");
      process.exit(1);
    }, DEADLINE_MS);
    deadline.unref();
    const steps = async () => {
      const service = await parts.service.get().catch(() => null);
      await drain(parts.server, () => service?.closeStreams());
      await service?.stop();
      await parts.closeNext();
      await parts.embedded?.stop();
    };
    steps().then(
      () => process.exit(0),
      (error) => {
        log.error({ err: error }, "stopping failed");
        process.exit(1);
      },
    );
  };
}
