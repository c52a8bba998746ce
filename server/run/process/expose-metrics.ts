import { timingSafeEqual } from "node:crypto";
import { transactions } from "@/db/client";
import { readsBy } from "@/db/read";
import { recordingStats } from "@/server/audit/record/record";
import { problemResponse } from "@/server/doors/http/problem";
import { gauge, registry } from "@/server/ground/background/metrics";
import { openStreams } from "@/server/ground/background/streams";
import { PEER_HEADER } from "@/server/ground/client-ip";
import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { requestFigures } from "@/server/ground/limits/concurrency";

const READS = {
  replica: "Reads that the replica answered",
  behind: "Reads that the primary answered because the replica was behind",
  away: "Reads that the primary answered because the replica was away",
};

/** Registers gauges: the recorder's backlog and losses, and open streams. */
function registerGauges(): void {
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

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** Local names of this machine. Under any other, a page open in a local browser may be asking. */
const OWN_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Headers added by proxies: the socket's address is then the proxy's. */
const FORWARDING = /^(forwarded|x-forwarded-.*|x-real-ip|x-client-ip|cf-connecting-ip|true-client-ip|via)$/i;

const isForwarded = ({ headers }: Request): boolean => [...headers].some(([name]) => FORWARDING.test(name));

const isOwnMachine = ({ headers }: Request): boolean =>
  LOOPBACK.test(headers.get(PEER_HEADER) ?? "") && OWN_NAME.test(headers.get("host") ?? "localhost");

function mayRead(request: Request): boolean {
  const token = env().METRICS_TOKEN;
  if (!token) return isOwnMachine(request) && !isForwarded(request);
  const given = Buffer.from((request.headers.get("authorization") ?? "").replace(/^Bearer /i, ""));
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Prometheus text for holders of METRICS_TOKEN, or only for this machine if none is set. */
export async function exposeMetrics(request: Request): Promise<Response> {
  if (!mayRead(request))
    return problemResponse(
      new AppError("unauthenticated", "Metrics need METRICS_TOKEN, or a call from this machine."),
      crypto.randomUUID(),
    );
  registerGauges();
  return new Response(await registry.metrics(), {
    headers: { "Content-Type": registry.contentType, "Cache-Control": "no-store" },
  });
}
