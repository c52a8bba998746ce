/**
 * Works on tasks in the order in which they come, so many at once: whichever worker is free takes the next one.
 * @returns what takes a task, which handles its own faults
 */
export function workQueue(workers: number): (task: () => Promise<void>) => void {
  const waiting: (() => Promise<void>)[] = [];
  let free = workers;
  const work = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) await task();
    free++;
  };
  return (task) => {
    waiting.push(task);
    if (free === 0) return;
    free--;
    void work();
  };
}
