import { chainHealth } from "@/db/citus/health";
import { appSql } from "@/db/client";
import { codeOf } from "@/db/thrown";
import { countApplied, countMigrations, readApplied } from "@/db/version";
import { openAlarms } from "@/server/audit/integrity/alarm";
import { listLostHeads } from "@/server/audit/integrity/heads";
import { recordingStats } from "@/server/audit/record/record";
import { whyNotPruned } from "@/server/retention/schedule";

/** `ready` asks whether this process can serve; a check that is not ok beside it is an operator's to look at. */
export type Readiness = { ready: boolean; checks: { name: string; ok: boolean; detail?: string }[] };

/** The check of a node of a distributed database that is away. */
const NODE = "node";
/** A spool that holds more than this is growing faster than the database takes it. */
const MAX_SPOOL_BACKLOG = 50_000;
const DATABASE_TIMEOUT_MS = 3_000;
/** A lost connection is mended within a try or two; a database that goes on refusing is full, read-only or away. */
const MAX_WRITE_FAULT_MS = 1_000;
/** SQLSTATE 53100 */
const DISK_FULL = "53100";

function withTimeout<T>(work: Promise<T>): Promise<T> {
  const timeout = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error("no answer in time")), DATABASE_TIMEOUT_MS).unref(),
  );
  return Promise.race([work, timeout]);
}

async function checkDatabase(): Promise<Readiness["checks"]> {
  try {
    const [[row], dates, { faults, silent }] = await withTimeout(
      Promise.all([
        appSql()<{ readOnly: boolean }[]>`SELECT current_setting('transaction_read_only') = 'on' AS "readOnly"`,
        readApplied(appSql()),
        chainHealth(),
      ]),
    );
    const [applied, wanted] = [countApplied(dates), countMigrations()];
    return [
      row?.readOnly
        ? { name: "database", ok: false, detail: "takes no writes: a replica, or read-only" }
        : { name: "database", ok: true },
      { name: "migrations", ok: applied >= wanted, detail: `${applied} of ${wanted} applied` },
      { name: "chain", ok: faults.length === 0, ...(faults.length > 0 ? { detail: faults.join("; ") } : {}) },
      ...silent.map((node) => ({ name: NODE, ok: false, detail: `${node} does not answer` })),
    ];
  } catch (error) {
    const code = codeOf(error);
    return [{ name: "database", ok: false, detail: code ? `unreachable (${code})` : "unreachable" }];
  }
}

/** Damage to one chain, and events set aside: nothing that another process could do better, so all others go on. */
async function checkDamage(): Promise<Readiness["checks"]> {
  const { held, deadLetters, spoolFault } = recordingStats();
  const heads = await withTimeout(listLostHeads()).then(
    ({ length }) => ({ ok: length === 0, detail: `${length} chains without their head or their end` }),
    () => ({ ok: false, detail: "could not be looked at" }),
  );
  const alarms = await withTimeout(openAlarms({ kind: "system" })).then(
    ({ length }) => ({ ok: length === 0, detail: `${length} chains were found broken` }),
    () => ({ ok: false, detail: "could not be looked at" }),
  );
  return [
    { name: "heads", ...heads },
    { name: "alarms", ...alarms },
    { name: "held", ok: held === 0, detail: `${held} events wait for the repair of a damaged chain` },
    {
      name: "spool disk",
      ok: spoolFault === "",
      detail: spoolFault
        ? `takes no events (${spoolFault}): they are in memory alone until the database has them`
        : "takes events",
    },
    { name: "dead letters", ok: deadLetters === 0, detail: `${deadLetters} events were refused by the database` },
  ];
}

function pruning(): string {
  const reason = whyNotPruned();
  return reason ? `off: ${reason}` : "on";
}

/** Whether what is recorded comes to the database; only who tries can know, a full disk answers every read. */
function checkWrites({ queued, writeFault }: ReturnType<typeof recordingStats>): Readiness["checks"][number] {
  if (!writeFault || writeFault.ms < MAX_WRITE_FAULT_MS) return { name: "writes", ok: true };
  const reason = writeFault.code === DISK_FULL ? "its disk is full" : writeFault.code || "no answer";
  const seconds = Math.floor(writeFault.ms / 1_000);
  return {
    name: "writes",
    ok: false,
    detail: `the database has taken no audit event for ${seconds} s (${reason}); ${queued} wait`,
  };
}

/** Whether this process can do its work: database reachable and taking events, migrations applied, chain guarded. */
export async function checkReadiness(): Promise<Readiness> {
  const stats = recordingStats();
  const checks = [
    ...(await checkDatabase()),
    { name: "pruning", ok: true, detail: pruning() },
    checkWrites(stats),
    { name: "spool", ok: stats.queued < MAX_SPOOL_BACKLOG, detail: `${stats.queued} events waiting` },
  ];
  // A node that is away takes its organizations with it, in every process alike: the others are served.
  return { ready: checks.every((c) => c.ok || c.name === NODE), checks: [...checks, ...(await checkDamage())] };
}
