import { backgroundLoop } from "@/server/ground/background/background-loop";
import { log } from "@/server/ground/log";
import { mapValues } from "@/server/ground/records";
import { evaluate } from "./evaluate";
import { DEFINITIONS } from "./kinds";
import { sendMessages } from "./send-messages";

const EVERY_MS = 60_000;

const CHECKS = mapValues(DEFINITIONS, ({ check }) => check);

/** Evaluates every condition once and queues what is to be sent. */
async function evaluateNow(): Promise<void> {
  const { failures } = await evaluate(CHECKS, new Date(), sendMessages);
  for (const err of failures) log.warn({ err }, "a condition could not be evaluated");
}

/** Evaluates conditions and queues what is to be sent; any number of processes may. */
export const notificationWorker = backgroundLoop("notifications", EVERY_MS, evaluateNow);
