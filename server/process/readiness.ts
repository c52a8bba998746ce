import { appSql } from "@/db/client";
import { countApplied, countMigrations } from "@/db/version";
import { recordingStats } from "@/server/audit/record/record";
import { isPruningEnabled } from "@/server/retention/schedule";

export type Readiness = { ready: boolean; checks: { name: string; ok: boolean; detail?: string }[] };

/** A spool that holds more than this is growing faster than the database takes it. */
const MAX_SPOOL_BACKLOG = 50_000;
const DATABASE_TIMEOUT_MS = 3_000;

function withTimeout<T>(work: Promise<T>): Promise<T> {
  const timeout = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error("no answer in time")), DATABASE_TIMEOUT_MS).unref(),
  );
  return Promise.race([work, timeout]);
}

async function checkDatabase(): Promise<Readiness["checks"]> {
  try {
    const [row] = await withTimeout(
      appSql()<{ newest: string | null; faults: string[] }[]>`
        SELECT (SELECT max(created_at) FROM drizzle.__drizzle_migrations) AS newest, audit_chain_health() AS faults`,
    );
    const [applied, wanted] = [countApplied(row?.newest), countMigrations()];
    const faults = row?.faults ?? [];
    return [
      { name: "database", ok: true },
      { name: "migrations", ok: applied >= wanted, detail: `${applied} of ${wanted} applied` },
      { name: "chain", ok: faults.length === 0, ...(faults.length > 0 ? { detail: faults.join("; ") } : {}) },
    ];
  } catch {
    return [{ name: "database", ok: false, detail: "unreachable" }];
  }
}

/** Whether this process can do its work: database reachable, migrations applied, chain guarded, spool not growing. */
export async function checkReadiness(): Promise<Readiness> {
  const { queued } = recordingStats();
  const checks = [
    ...(await checkDatabase()),
    { name: "pruning", ok: true, detail: isPruningEnabled() ? "on" : "off: AUDIT_ADMIN_DATABASE_URL is not set" },
    { name: "spool", ok: queued < MAX_SPOOL_BACKLOG, detail: `${queued} events waiting` },
  ];
  return { ready: checks.every((c) => c.ok), checks };
}
