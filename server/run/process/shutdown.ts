import type { Server } from "node:http";
import type { Embedded } from "@/db/embedded/embedded";
import { log } from "@/server/ground/log";
import type { CurrentService } from "./current-service";
import { drain } from "./drain";

type Parts = {
  server: Server;
  service: CurrentService;
  closeNext: () => Promise<void>;
  embedded: Embedded | null;
};

/** SIGTERM to exit, at most; what is still unflushed then is in the spool and is replayed at the next start. */
const DEADLINE_MS = 9_000;

/** The handler of SIGTERM and SIGINT: drains, flushes, closes, in this order, within the deadline; once. */
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
