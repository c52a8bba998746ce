import { deliveryWorker, notifyDeliveries } from "@/server/deliveries/worker";
import { log } from "@/server/log";
import { backgroundLoop } from "@/server/process/background-loop";
import { lookForBrokenChains } from "./conditions/broken-chains";
import { evaluate } from "./evaluate";
import { tell } from "./tell";

const EVERY_MS = 60_000;

const LOOKS = [lookForBrokenChains];

/** Looks at every condition once and queues what is to be told. */
async function evaluateNow(now = new Date()): Promise<void> {
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
