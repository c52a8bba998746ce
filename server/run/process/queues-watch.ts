import { backgroundLoop } from "@/server/ground/background/background-loop";
import { gauge } from "@/server/ground/background/metrics";
import { type AnyJobKind, type Backlog, readBacklog } from "@/server/ground/jobs";

const POLL_MS = 30_000;

/** Keeps the job metrics of all processes equal to the job library's queue. */
export function queuesWatch(kinds: readonly AnyJobKind[]) {
  let backlog: Backlog[] = [];
  const byKind = (read: (one: Backlog) => number) => () =>
    new Map([...kinds.map(({ name }) => [name, 0] as const), ...backlog.map((one) => [one.name, read(one)] as const)]);
  return backgroundLoop("queues", POLL_MS, async () => {
    backlog = await readBacklog();
    gauge(
      "trailmark_jobs_due",
      "Jobs that are due or run",
      byKind(({ due }) => due),
    );
    gauge(
      "trailmark_jobs_age_seconds",
      "Since when the oldest of them is due",
      byKind(({ ageSeconds }) => ageSeconds),
    );
    gauge(
      "trailmark_jobs_failed",
      "Jobs that were given up",
      byKind(({ failed }) => failed),
    );
  });
}
