import { setTimeout as sleep } from "node:timers/promises";
import { closeDatabase } from "@/db/client";
import { stopRecording } from "@/server/audit/record/record";
import { stopRelay } from "@/server/devices/live/relay";
import { closeDenials } from "@/server/doors/http/denied";
import { stopTracing } from "@/server/ground/background/tracing";
import { unawaitedDone } from "@/server/ground/background/unawaited";
import { log } from "@/server/ground/log";
import { stopWorkers } from "./workers";

/**
 * What the work under way may take to end by itself, and then what its connections' end broke off, in ms; the rest of the
 * shutdown's deadline is for what follows. Tests of what ends by itself raise the first.
 */
export const stopTime = { work: 2_000, brokenOff: 500 };

const within = (work: Promise<unknown>, ms: number) => Promise.race([work, sleep(ms, undefined, { ref: false })]);

const noteUnclean = (error: unknown): void => log.warn({ err: error }, "the relay did not end cleanly");

/**
 * Stops the background work, waits for what goes on behind answers, closes the database and writes out what is pending, in
 * this order: work that ends records what it did, and work that does not end by itself ends with its connections, before
 * recording stops. A relay that cannot close its connection keeps none of what follows from being done.
 */
export async function stopService(): Promise<void> {
  closeDenials();
  const ended = Promise.allSettled([stopWorkers(), unawaitedDone(), stopRelay().catch(noteUnclean)]);
  await within(ended, stopTime.work);
  await closeDatabase();
  // What had no end has one now, and records it.
  await within(ended, stopTime.brokenOff);
  closeDenials();
  await stopRecording();
  await stopTracing();
}
