import { transactions } from "@/db/client";
import { readsBy } from "@/db/read";
import { recordingStats } from "@/server/audit/record/record";
import { gauge } from "@/server/ground/background/metrics";
import { openStreams } from "@/server/ground/background/streams";
import { env } from "@/server/ground/env";
import { requestFigures } from "@/server/ground/limits/concurrency";

const READS = {
  replica: "Reads that the replica answered",
  behind: "Reads that the primary answered because the replica was behind",
  away: "Reads that the primary answered because the replica was away",
};

/** Registers gauges: the recorder's backlog and losses, and open streams. */
export function registerGauges(): void {
  gauge("trailmark_audit_queue", "Audit events waiting for the database", () => recordingStats().queued);
  gauge(
    "trailmark_audit_write_fault_seconds",
    "For how long every try to write audit events to the database has failed; 0 where the last one did not",
    () => (recordingStats().writeFault?.ms ?? 0) / 1_000,
  );
  gauge("trailmark_audit_spool_bytes", "Size of the local spool", () => recordingStats().spoolBytes);
  gauge(
    "trailmark_audit_spool_failures_total",
    "Writes of audit events that the disk of the spool refused",
    () => recordingStats().spoolFailures,
  );
  gauge(
    "trailmark_audit_dropped_total",
    "Audit events lost because spool and queue were full, or unstorable",
    () => recordingStats().dropped,
  );
  gauge(
    "trailmark_audit_dead_lettered_total",
    "Audit events that the database refused for good, kept in dead-letter.log",
    () => recordingStats().deadLetters,
  );
  gauge(
    "trailmark_audit_held",
    "Audit events that wait for the repair of a damaged chain",
    () => recordingStats().held,
  );
  for (const by of ["replica", "behind", "away"] as const)
    gauge(`trailmark_reads_${by}_total`, READS[by], () => readsBy[by]);
  gauge("trailmark_database_pool_size", "Connections that the pool may open", () => env().DATABASE_POOL_SIZE);
  gauge(
    "trailmark_database_transactions",
    "Transactions that run or wait for a connection of the pool",
    () => transactions.open,
  );
  gauge("trailmark_requests_running", "Requests of people and keys that run", () => requestFigures().running);
  gauge(
    "trailmark_requests_waiting",
    "Requests that wait behind others of their caller",
    () => requestFigures().waiting,
  );
  gauge(
    "trailmark_requests_refused_total",
    "Requests that were refused because too much of their caller waited",
    () => requestFigures().refused,
  );
  gauge("trailmark_open_streams", "Open event streams", openStreams);
}
