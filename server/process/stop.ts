import { setTimeout as sleep } from "node:timers/promises";
import { closeDatabase } from "@/db/client";
import { stopRecording } from "@/server/audit/record/record";
import { stopTracing } from "@/server/background/tracing";
import { unawaitedDone } from "@/server/background/unawaited";
import { closeDenials } from "@/server/http/denied";
import { stopRelay } from "@/server/live-events/current";
import { log } from "@/server/log/log";
import { stopWorkers } from "./workers";

/** What the work under way may take to end by itself; the rest of the shutdown's deadline is for what follows. */
const END_WORK_MS = 3_000;

const noteUnclean = (error: unknown): void => log.warn({ err: error }, "the relay did not end cleanly");

/**
 * Stops the background work, waits for what goes on behind answers, closes the database and writes out what is pending, in
 * this order: work that ends records what it did, and work that does not end by itself ends with its connections, before
 * recording stops. A relay whose message broker is gone keeps none of what follows from being done.
 */
export async function stopService(): Promise<void> {
  closeDenials();
  const ended = Promise.allSettled([stopWorkers(), unawaitedDone(), stopRelay().catch(noteUnclean)]);
  await Promise.race([ended, sleep(END_WORK_MS, undefined, { ref: false })]);
  await closeDatabase();
  await stopRecording();
  await stopTracing();
}
