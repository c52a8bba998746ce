import { deliveryWorker, notifyDeliveries } from "@/server/deliveries/worker";
import { log } from "@/server/log";
import { backgroundLoop } from "@/server/process/background-loop";
import { lookForAwayWitnesses } from "./conditions/away-witnesses";
import { lookForBrokenChains } from "./conditions/broken-chains";
import { lookForDisabledWebhooks } from "./conditions/disabled-webhooks";
import type { Look } from "./conditions/finding";
import { lookForLostEvents, reportLosses } from "./conditions/lost-events";
import { lookForManyDenials } from "./conditions/many-denials";
import { lookForPruning } from "./conditions/pruning";
import { lookForSilentAgents } from "./conditions/silent-agents";
import { lookForUnprovenChains } from "./conditions/unproven-chains";
import { evaluate } from "./evaluate";
import { tell } from "./tell";

const EVERY_MS = 60_000;

const LOOKS: readonly Look[] = [
  lookForBrokenChains,
  () => lookForUnprovenChains(),
  (now) => lookForAwayWitnesses(now),
  (now) => lookForPruning(now),
  lookForLostEvents,
  lookForSilentAgents,
  lookForManyDenials,
  lookForDisabledWebhooks,
];

/** Looks at every condition once and queues what is to be told. */
async function evaluateNow(now = new Date()): Promise<void> {
  await reportLosses(now);
  const { failures } = await evaluate(LOOKS, now, tell);
  for (const err of failures) log.warn({ err }, "a condition could not be looked at");
  notifyDeliveries();
}

const loop = backgroundLoop("notifications", EVERY_MS, () => evaluateNow());

/** Looks at conditions and sends what is to be told; any number of processes may. */
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
