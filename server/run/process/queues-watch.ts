import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { gauge } from "@/server/ground/background/metrics";

const POLL_MS = 30_000;

/** Work of all processes that waits; ages in seconds, 0 where nothing does. */
type Queues = {
  deliveries: number;
  deliveriesLate: number;
  exports: number;
  exportsAge: number;
  imports: number;
};

const empty: Queues = { deliveries: 0, deliveriesLate: 0, exports: 0, exportsAge: 0, imports: 0 };

/** Reads how much waits, over all organizations. */
export async function readQueues(): Promise<Queues> {
  const [row] = await asSystem((tx) =>
    rowsOf<Queues>(
      tx,
      sql`SELECT d.pending::int AS deliveries, greatest(0, coalesce(d.late, 0))::float8 AS "deliveriesLate",
          e.waiting::int AS exports, coalesce(e.age, 0)::float8 AS "exportsAge",
          (SELECT count(*)::int FROM custom_field_imports WHERE job IS NOT NULL) AS imports
        FROM (SELECT count(*) AS pending, extract(epoch FROM now() - min(next_attempt_at)) AS late
            FROM notification_deliveries WHERE status = 'pending') d,
          (SELECT count(*) AS waiting, extract(epoch FROM now() - min(created_at)) AS age
            FROM audit_exports WHERE status IN ('waiting', 'running')) e`,
    ),
  );
  return row ?? empty;
}

let known = empty;

const EXPLAINED: [name: string, help: string, read: () => number][] = [
  ["trailmark_deliveries_pending", "Mails and webhooks that are to be sent", () => known.deliveries],
  ["trailmark_deliveries_late_seconds", "By how much the one most overdue is late", () => known.deliveriesLate],
  ["trailmark_exports_waiting", "Exports that wait or are being written", () => known.exports],
  ["trailmark_exports_age_seconds", "Since when the oldest of them was asked for", () => known.exportsAge],
  ["trailmark_imports_waiting", "Imports that wait or run", () => known.imports],
];

/** Keeps the metrics of what waits at what the database holds. */
export const queuesWatch = backgroundLoop("queues", POLL_MS, async () => {
  known = await readQueues();
  for (const [name, help, read] of EXPLAINED) gauge(name, help, read);
});
