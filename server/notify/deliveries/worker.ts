import { backgroundLoop } from "@/server/ground/background/background-loop";
import { whileRenewed } from "@/server/ground/lease";
import { log } from "@/server/ground/log";
import { attempt } from "./attempt";
import { type Claimed, claim, renew } from "./claim";
import { settle } from "./settle";

/** How often a process polls for messages that are due. */
const POLL_MS = 5_000;
/** Messages of a process that are being sent at a time. */
const AT_ONCE = 8;

/** What tells the time in the place of the database's clock. */
type Now = () => Date;

async function deliver(claimed: Claimed, now?: Now): Promise<void> {
  // One that cannot be renewed is made twice at worst; receivers know it by its id.
  const outcome = await whileRenewed(
    () => renew(claimed, now?.()),
    () => attempt(claimed, now?.() ?? new Date()),
  );
  await settle(claimed, outcome, now?.());
}

const sending = new Map<Promise<void>, Claimed>();

function ofOwners(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { owner } of sending.values()) if (owner) counts[owner] = (counts[owner] ?? 0) + 1;
  return counts;
}

/**
 * Begins to send what is due, as far as places are free: endpoints that do not answer hold up no other owner's messages.
 * An attempt that cannot be settled is made again when its lease is over.
 * @returns how many attempts were begun
 */
async function beginDue(now?: Now): Promise<number> {
  const free = AT_ONCE - sending.size;
  const claimed = free > 0 ? await claim(now?.(), free, ofOwners()) : [];
  for (const one of claimed) {
    const attempt = deliver(one, now)
      .catch((err: unknown) => log.warn({ err }, "a delivery could not be settled"))
      .finally(() => {
        sending.delete(attempt);
        loop.notify();
      });
    sending.set(attempt, one);
  }
  return claimed.length;
}

/**
 * Sends what is due, until nothing is.
 * @param now by default the database's clock
 * @returns how many attempts were made
 */
export async function workOffDeliveries(now?: Now): Promise<number> {
  for (let sent = 0; ; ) {
    const begun = await beginDue(now);
    sent += begun;
    if (begun > 0) continue;
    if (sending.size === 0) return sent;
    await Promise.race(sending.keys());
  }
}

const loop = backgroundLoop("deliveries", POLL_MS, async (stopping) => {
  while (!stopping.aborted && (await beginDue()) > 0);
});

/** Sends messages; several processes may, each message is sent by one of them at a time. */
export const deliveryWorker = {
  ...loop,
  /** Waits for what is being sent. */
  async stop(): Promise<void> {
    await loop.stop();
    await Promise.allSettled(sending.keys());
  },
};

/** Notifies this process's worker, if it runs one, of a new message; other processes find it at their next poll. */
export const notifyDeliveries = (): void => loop.notify();
