import { layout } from "@/db/citus/layout";
import { appSql } from "@/db/client";
import { codeOf } from "@/db/thrown";
import { countApplied, countMigrations, readApplied } from "@/db/version";
import { Growth } from "@/server/audit/record/batch-writer";
import { recordingStats } from "@/server/audit/record/record";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { listLostHeads } from "@/server/evidence/integrity/heads";
import { sharedRuns } from "@/server/ground/background/background-loop";
import { counted } from "@/server/ground/text";
import { whyNotPruned } from "@/server/retention/schedule";

/** `ready`: this process can serve; other failed checks are for an operator. */
export type Readiness = { ready: boolean; checks: Check[] };
type Check = { name: string; ok: boolean; detail?: string };
type Stats = ReturnType<typeof recordingStats>;

/** Check of an unreachable node of a distributed database. */
const NODE = "node";
/** Check that the database accepts writes. */
const WRITES = "writes";
/** Checks that fail in every process alike: with all of them removed, a proxy would serve nothing and keep no event. */
const SHARED = [NODE, WRITES];
/** Time limit for the database. */
const DATABASE_MS = 3_000;
/** A lost connection recovers within a try or two; a longer refusal means full, read-only or down. */
const MAX_WRITE_FAULT_MS = 1_000;
/** SQLSTATE 53100 */
const DISK_FULL = "53100";
/** SQLSTATE 25006 */
const READ_ONLY = "25006";
const growth = new Growth();

function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const timeout = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error("no answer in time")), ms).unref(),
  );
  return Promise.race([work, timeout]);
}

async function checkDatabase(stats: Stats, ms: number): Promise<Check[]> {
  try {
    const [[row], dates, { faults, silent }] = await withTimeout(
      Promise.all([
        appSql()<{ readOnly: boolean }[]>`SELECT current_setting('transaction_read_only') = 'on' AS "readOnly"`,
        readApplied(appSql()),
        layout().chainHealth(appSql()),
      ]),
      ms,
    );
    const [applied, wanted] = [countApplied(dates), countMigrations()];
    return [
      { name: "database", ok: true },
      checkWrites(stats, row?.readOnly ?? false),
      { name: "migrations", ok: applied >= wanted, detail: `${applied} of ${wanted} applied` },
      { name: "chain", ok: faults.length === 0, ...(faults.length > 0 ? { detail: faults.join("; ") } : {}) },
      ...silent.map((node) => ({ name: NODE, ok: false, detail: `${node} does not answer` })),
    ];
  } catch (error) {
    const code = codeOf(error);
    const away = { name: "database", ok: false, detail: code ? `unreachable (${code})` : "unreachable" };
    return [away, checkWrites(stats, false)];
  }
}

/** Damage to one chain, and events set aside. Never affects `ready`: no other process could do better. */
async function checkDamage({ held, deadLetters, spoolFault }: Stats, ms: number): Promise<Check[]> {
  const none = (n: number, one: string, many: string) => ({ ok: n === 0, detail: counted(n, one, many) });
  const noneOf = (found: Promise<unknown[]>, one: string, many: string) =>
    withTimeout(found, ms).then(
      ({ length }) => none(length, one, many),
      () => ({ ok: false, detail: "could not be checked" }),
    );
  const [cut, cuts] = ["chain without its head or its end", "chains without their head or their end"];
  const [broken, brokens] = ["chain was found broken", "chains were found broken"];
  const repair = "for the repair of a damaged chain";
  return [
    { name: "heads", ...(await noneOf(listLostHeads(), cut, cuts)) },
    { name: "alarms", ...(await noneOf(openAlarms({ kind: "system" }), broken, brokens)) },
    { name: "held", ...none(held, `event waits ${repair}`, `events wait ${repair}`) },
    {
      name: "spool disk",
      ok: spoolFault === "",
      detail: spoolFault
        ? `takes no events (${spoolFault}): they are in memory alone until the database has them`
        : "takes events",
    },
    {
      name: "dead letters",
      ...none(deadLetters, "event was refused by the database", "events were refused by the database"),
    },
  ];
}

function pruning(): string {
  const reason = whyNotPruned();
  return reason ? `off: ${reason}` : "on";
}

const REASONS: Record<string, string> = {
  [DISK_FULL]: "its disk is full",
  [READ_ONLY]: "it is a replica, or read-only",
  "": "no answer",
};

/** Checks that recorded events reach the database: a full disk still answers reads, so only writes show it. */
function checkWrites({ queued, writeFault }: Stats, isReadOnly: boolean): Check {
  if (writeFault && writeFault.ms >= MAX_WRITE_FAULT_MS) {
    const reason = REASONS[writeFault.code] ?? writeFault.code;
    const seconds = Math.floor(writeFault.ms / 1_000);
    const detail = `the database has taken no audit event for ${seconds} s (${reason}); ${counted(queued, "waits", "wait")}`;
    return { name: WRITES, ok: false, detail };
  }
  return isReadOnly
    ? { name: WRITES, ok: false, detail: `the database takes no writes: ${REASONS[READ_ONLY]}` }
    : { name: WRITES, ok: true };
}

/** While the database accepts no writes, the spool keeps events up to a limit. */
function checkSpool({ queued, spoolTakesEvents }: Stats, takesWrites: boolean): Check {
  const isGrowing = growth.isGrowing(queued);
  const waiting = counted(queued, "event waiting", "events waiting");
  if (takesWrites || spoolTakesEvents) return { name: "spool", ok: !isGrowing, detail: waiting };
  return { name: "spool", ok: false, detail: `${waiting}, and it takes no more` };
}

/**
 * Checks that this process can work: database reachable, migrations applied, chain guarded, and database or spool
 * accepting events. One check at a time, because each reads every chain and anyone may ask; every caller gets a check
 * started after its request.
 * @param databaseMs time limit for the database
 */
export const createReadinessCheck = (databaseMs = DATABASE_MS): (() => Promise<Readiness>) =>
  sharedRuns(async () => {
    const stats = recordingStats();
    const database = await checkDatabase(stats, databaseMs);
    const takesWrites = database.every(({ name, ok }) => name !== WRITES || ok);
    const checks = [...database, { name: "pruning", ok: true, detail: pruning() }, checkSpool(stats, takesWrites)];
    return {
      ready: checks.every((c) => c.ok || SHARED.includes(c.name)),
      checks: [...checks, ...(await checkDamage(stats, databaseMs))],
    };
  });
