import { backgroundLoop } from "@/server/ground/background/background-loop";
import { log } from "@/server/ground/log";
import { deliveryWorker, notifyDeliveries } from "@/server/notify/deliveries/worker";
import { checkAwayWitnesses } from "./conditions/away-witnesses";
import { checkBrokenChains } from "./conditions/broken-chains";
import { checkDisabledWebhooks } from "./conditions/disabled-webhooks";
import type { Check } from "./conditions/finding";
import { checkLostEvents } from "./conditions/lost-events";
import { checkManyDenials } from "./conditions/many-denials";
import { checkPruning } from "./conditions/pruning";
import { checkSilentAgents } from "./conditions/silent-agents";
import { checkUnprovenChains } from "./conditions/unproven-chains";
import { evaluate } from "./evaluate";
import { sendMessages } from "./send-messages";

const EVERY_MS = 60_000;

const CHECKS: readonly Check[] = [
  checkBrokenChains,
  () => checkUnprovenChains(),
  (now) => checkAwayWitnesses(now),
  (now) => checkPruning(now),
  checkLostEvents,
  checkSilentAgents,
  checkManyDenials,
  checkDisabledWebhooks,
];

/** Evaluates every condition once and queues what is to be sent. */
async function evaluateNow(): Promise<void> {
  const { failures } = await evaluate(CHECKS, new Date(), sendMessages);
  for (const err of failures) log.warn({ err }, "a condition could not be evaluated");
  notifyDeliveries();
}

const loop = backgroundLoop("notifications", EVERY_MS, evaluateNow);

/** Evaluates conditions and sends what is to be sent; any number of processes may. */
export const notificationWorker = {
  name: "notifications",
  start(): void {
    loop.start();
    deliveryWorker.start();
  },
  async stop(): Promise<void> {
    await Promise.all([loop.stop(), deliveryWorker.stop()]);
  },
};
