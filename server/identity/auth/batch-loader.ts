type Waiting<V> = { resolve: (value: V | undefined) => void; reject: (error: unknown) => void };

/**
 * Loads many keys in one query: keys that arrive during a query share the next one. Not a cache: every answer was read
 * after its key arrived.
 * @param fetch reads a set of keys; missing ones give undefined
 */
export function batchLoader<V>(
  fetch: (keys: string[]) => Promise<Map<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting = new Map<string, Waiting<V>[]>();
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      try {
        const found = await fetch([...batch.keys()]);
        for (const [key, waiters] of batch) for (const { resolve } of waiters) resolve(found.get(key));
      } catch (error) {
        for (const waiters of batch.values()) for (const { reject } of waiters) reject(error);
      }
    }
    running = false;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      const waiters = waiting.get(key) ?? [];
      waiters.push({ resolve, reject });
      waiting.set(key, waiters);
      if (!running) void run();
    });
}
