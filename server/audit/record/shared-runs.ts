/**
 * Work whose runs are shared by their callers. Each call is answered by a run that began after it: the first call
 * starts one, all calls during a run share the next.
 */
export function sharedRuns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  return function run(): Promise<void> {
    if (!running) {
      running = work().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return run();
      });
    return next;
  };
}
