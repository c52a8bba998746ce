type Question<V> = { resolve: (value: V | undefined) => void; reject: (error: unknown) => void };

/**
 * Puts many questions into one query: those that come while a query is under way share the next one. Not a cache: what
 * a question is answered with was read after it came.
 * @param fetch answers a set of keys; keys that it leaves out are answered with undefined
 */
export function together<V>(
  fetch: (keys: string[]) => Promise<Map<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting = new Map<string, Question<V>[]>();
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.size > 0) {
      const asked = waiting;
      waiting = new Map();
      try {
        const found = await fetch([...asked.keys()]);
        for (const [key, questions] of asked) for (const { resolve } of questions) resolve(found.get(key));
      } catch (error) {
        for (const questions of asked.values()) for (const { reject } of questions) reject(error);
      }
    }
    running = false;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      const questions = waiting.get(key) ?? [];
      questions.push({ resolve, reject });
      waiting.set(key, questions);
      if (!running) void run();
    });
}
