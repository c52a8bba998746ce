import { sql } from "drizzle-orm";
import { type Admin, openAdmin } from "@/db/admin";
import { rowsOf } from "@/db/rows";
import { causeOf, messageOf } from "@/db/thrown";
import { gauge } from "@/server/ground/background/metrics";
import type { JobKind } from "@/server/ground/jobs";
import { log } from "@/server/ground/log";
import { expiredOf, refuseAlarmed } from "./permit";
import { type Pruned, pruneOrganization } from "./prune";
import { isPruningEnabled, whyNotPruned } from "./schedule";
import { PRUNE_SLICE_ROWS, RETENTION_CRON } from "./schema";

/** One run at a time over all processes and the command line. */
const LOCK_KEY = 0x74726574; // "tret"

type OrganizationRun = Pruned & { orgId: string; retentionDays: number; error?: string };
export type RetentionRun = {
  /**
   * disabled: no admin connection; busy: another process is running; otherwise the result, which dryRun only computes.
   */
  status: "disabled" | "busy" | "done" | "stopped";
  dryRun: boolean;
  ms: number;
  rows: number;
  organizations: OrganizationRun[];
};

type Options = {
  dryRun?: boolean;
  sliceRows?: number;
  signal?: AbortSignal | undefined;
  /** Only these organizations; by default all with a policy. */
  orgIds?: readonly string[];
};

type PolicyRow = { org_id: string; retention_days: number };

async function policies(admin: Admin, orgIds?: readonly string[]): Promise<PolicyRow[]> {
  const all = await admin.transaction((tx) =>
    rowsOf<PolicyRow>(tx, sql`SELECT org_id, retention_days FROM audit_retention_policies ORDER BY org_id`),
  );
  return orgIds ? all.filter((row) => orgIds.includes(row.org_id)) : all;
}

const NOTHING: Pruned = { rows: 0, slices: 0, firstSeq: null, lastSeq: null };

async function countExpired({ org_id }: PolicyRow): Promise<Pruned> {
  const { expired } = (await expiredOf(org_id)) ?? {};
  if (!expired || expired.lastSeq < expired.firstSeq) return NOTHING;
  await refuseAlarmed(org_id);
  const { firstSeq, lastSeq } = expired;
  const rows = lastSeq - firstSeq + 1;
  return { rows, slices: Math.ceil(rows / PRUNE_SLICE_ROWS), firstSeq, lastSeq };
}

/**
 * Prunes one organization; a failure is logged and reported with the rows removed before it, and does not affect
 * others.
 */
async function runOne(admin: Admin, row: PolicyRow, options: Options): Promise<OrganizationRun> {
  const about = { orgId: row.org_id, retentionDays: row.retention_days };
  const pruned = { ...NOTHING };
  try {
    if (options.dryRun) return { ...about, ...(await countExpired(row)) };
    await pruneOrganization(admin, pruned, { ...options, orgId: row.org_id });
    if (pruned.rows > 0) log.info({ ...about, ...pruned }, "pruned expired audit rows");
    return { ...about, ...pruned };
  } catch (error) {
    log.error({ err: error, ...about, ...pruned }, "an organization's audit log could not be pruned");
    return { ...about, ...pruned, error: messageOf(causeOf(error)) };
  }
}

/**
 * Prunes every organization with a policy; others are skipped (spec, States, rule 1). Only here, on the admin
 * connection, are audit rows ever removed.
 */
export async function runRetention(options: Options = {}): Promise<RetentionRun> {
  const started = performance.now();
  const dryRun = options.dryRun ?? false;
  const end = (status: RetentionRun["status"], organizations: OrganizationRun[] = []): RetentionRun => ({
    status,
    dryRun,
    ms: Math.round(performance.now() - started),
    rows: organizations.reduce((sum, o) => sum + o.rows, 0),
    organizations,
  });
  if (!isPruningEnabled()) return end("disabled");
  const admin = openAdmin();
  try {
    if (!dryRun && !(await admin.tryLock(LOCK_KEY))) return end("busy");
    const done: OrganizationRun[] = [];
    for (const row of await policies(admin, options.orgIds)) {
      if (options.signal?.aborted) return end("stopped", done);
      done.push(await runOne(admin, row, options));
    }
    // The last one may have stopped between two slices.
    return end(options.signal?.aborted ? "stopped" : "done", done);
  } finally {
    await admin.end();
  }
}

/** Reports in log and metrics whether this installation ever removes audit entries. */
export function announcePruning(): void {
  gauge(
    "trailmark_retention_enabled",
    "1 when expired audit rows are pruned; 0 without AUDIT_ADMIN_DATABASE_URL",
    () => (whyNotPruned() === null ? 1 : 0),
  );
  const reason = whyNotPruned();
  if (reason) log.warn(`${reason}: no audit entry is ever pruned, regardless of the retention policies`);
}

/** Daily pruning (spec, States, rule 1); without the admin connection it only reports that it does nothing. */
export const retentionJob: JobKind<object> = {
  name: "retention",
  cron: RETENTION_CRON,
  catchesUp: true,
  atOnce: 1,
  maxAttempts: 8,
  async run(_, { signal }) {
    const run = await runRetention({ signal });
    const failed = run.organizations.filter((o) => o.error).length;
    log.info({ status: run.status, rows: run.rows, organizations: run.organizations.length, failed }, "retention run");
    if (run.status === "disabled") announcePruning();
    // A killed process's lock ends once the database notices, within seconds.
    if (run.status === "busy") throw new Error("another process is pruning; this run continues later");
    if (run.status === "stopped") throw new Error("the retention run was stopped and continues later");
  },
};
