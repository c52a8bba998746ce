import { log } from "@/server/log";
import { backgroundLoop } from "@/server/process/background-loop";
import { attempt } from "./attempt";
import { type Claimed, claim, RENEW_MS, renew } from "./claim";
import { settle } from "./settle";

/** How often a process polls for messages that are due. */
const POLL_MS = 5_000;

async function deliver(claimed: Claimed, now: () => Date): Promise<void> {
  // One that cannot be renewed is made twice at worst; receivers know it by its id.
  const timer = setInterval(() => void renew(claimed, now()).catch(() => {}), RENEW_MS);
  const outcome = await attempt(claimed, now()).finally(() => clearInterval(timer));
  await settle(claimed, outcome, now());
}

/**
 * Sends what is due, some messages at a time, until nothing is. An attempt that cannot be settled is made again when its
 * lease is over.
 * @returns how many attempts were made
 */
export async function workOffDeliveries(now = () => new Date(), stopping?: AbortSignal): Promise<number> {
  for (let sent = 0; ; ) {
    if (stopping?.aborted) return sent;
    const claimed = await claim(now());
    if (claimed.length === 0) return sent;
    const results = await Promise.allSettled(claimed.map((one) => deliver(one, now)));
    sent += claimed.length;
    for (const result of results)
      if (result.status === "rejected") log.warn({ err: result.reason }, "a delivery could not be settled");
  }
}

/** Sends messages; several processes may, each message is sent by one of them at a time. */
export const deliveryWorker = backgroundLoop("deliveries", POLL_MS, async (stopping) => {
  await workOffDeliveries(undefined, stopping);
});

/** Tells this process's worker, if it runs one, of a new message; other processes find it at their next poll. */
export const notifyDeliveries = (): void => deliveryWorker.notify();
