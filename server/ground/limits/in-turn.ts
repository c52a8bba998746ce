import { Turns } from "./turns";

const queues = new Map<string, Turns>();

/**
 * Does one try at a secret after the earlier ones at the same: failures are counted when they are known, so of hundreds that
 * come at the same moment each would find its attempts unused.
 * @param key whose secret is tried, and from where, as the failures are counted
 * @throws what the work throws
 */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const turns = queues.get(key) ?? new Turns(1);
  queues.set(key, turns);
  try {
    return await turns.run(work);
  } finally {
    if (turns.running === 0) queues.delete(key);
  }
}
