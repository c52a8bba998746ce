import { setTimeout as sleep } from "node:timers/promises";
import { causeOf, codeOf } from "./thrown";

const MAX_ATTEMPTS = 5;
const PAUSE_MS = 20;
/** Serialization failure and deadlock: what others did at the same moment was in the way, and nothing was written. */
const IN_THE_WAY = new Set(["40001", "40P01"]);

/** Whether a transaction failed only because of what others did at the same moment. */
export const wasInTheWay = (error: unknown): boolean => IN_THE_WAY.has(codeOf(causeOf(error)));

/** Does a transaction again that a deadlock or serialization failure ended; it must change nothing but the database. */
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
