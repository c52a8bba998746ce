import { setTimeout as sleep } from "node:timers/promises";
import { causeOf, codeOf } from "./thrown";

const MAX_ATTEMPTS = 5;
const PAUSE_MS = 20;
/** Serialization failure and deadlock: conflicts with concurrent transactions, nothing was written. */
const IN_THE_WAY = new Set(["40001", "40P01"]);

/** True if a transaction only failed because of concurrent ones. */
export const wasInTheWay = (error: unknown): boolean => IN_THE_WAY.has(codeOf(causeOf(error)));

/** Retries a transaction ended by a deadlock or serialization failure; it may only change the database. */
export async function retried<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !wasInTheWay(error)) throw error;
      await sleep(attempt * PAUSE_MS * Math.random());
    }
  }
}
