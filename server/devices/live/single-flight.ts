import { log } from "@/server/ground/log";

/**
 * Runs work one at a time. A call during a run makes it run once more afterwards, so nothing that came in meanwhile is
 * missed however many calls there were. Failures are logged: the next tick tries again.
 */
export function singleFlight(what: string, work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again = false;
  const run = async () => {
    do {
      again = false;
      try {
        await work();
      } catch (error) {
        log.warn({ err: error, what }, "the relay could not reach the database");
      }
    } while (again);
    running = undefined;
  };
  return () => {
    again = true;
    running ??= run();
    return running;
  };
}
