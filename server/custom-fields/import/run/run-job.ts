import { rm } from "node:fs/promises";
import { and, eq, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { customFieldImports, organizations } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { findUserCaller } from "@/server/auth/caller";
import { reachesWholePartner } from "@/server/auth/grant";
import { type Ctx, systemCtx } from "@/server/context";
import { holdDefinitions } from "@/server/custom-fields/hold-definitions";
import { loadPlan } from "@/server/custom-fields/import/decide/load-plan";
import { emptyTally } from "@/server/custom-fields/import/decide/tally";
import { importFolder } from "@/server/custom-fields/import/import-folder";
import { initialPlan } from "@/server/custom-fields/import/map/mapping";
import { withoutSamples } from "@/server/custom-fields/import/map/secret-columns";
import type { RunReport } from "@/server/custom-fields/import/outcome-schema";
import { activeFields } from "@/server/custom-fields/import/plan-schema";
import { lockImport } from "@/server/custom-fields/import/record/find";
import { type ImportRecord, toRecord } from "@/server/custom-fields/import/record/record";
import { type PartnerScope, partnerScope } from "@/server/custom-fields/import/record/scope";
import type { ImportSummary, Job, UndoReport } from "@/server/custom-fields/import/schema";
import { AppError, type ErrorCode } from "@/server/errors";
import { LostLease, Stopped, whileRenewed } from "@/server/lease";
import { applyChunk } from "./apply";
import { auditOutcome } from "./audit-outcome";
import { checkRows } from "./check";
import { forgetSecrets } from "./forget-secrets";
import { Cancelled, finishWork, markDone, releaseLease, renewLease, requireLease } from "./lease";
import { countsOf, readBack } from "./read-back";
import { requireSameFields } from "./same-fields";
import { stageFiles } from "./stage";
import { undoChunk } from "./undo";

/** Work in the name of a person, within what that person reaches now. */
type Work = { found: ImportRecord; ctx: Ctx; scope: PartnerScope };

/**
 * The import with the person who started the work, looked up again: that person's access counts as it is now.
 * @throws AppError forbidden when the right to import, or an organization of the import, has gone.
 */
async function loadWork(id: string): Promise<Work> {
  const [row] = await asSystem((tx) => tx.select().from(customFieldImports).where(eq(customFieldImports.id, id)));
  if (!row?.job) throw new LostLease();
  const found = toRecord(row);
  const caller = await findUserCaller(found.summary.actor?.id ?? found.createdBy);
  if (!caller?.permissions.has("custom_fields:import"))
    throw new AppError("forbidden", "The person who started this can no longer import.");
  const ctx = { ...systemCtx(), ...caller };
  const scope = partnerScope(ctx);
  if (!found.orgIds.every((org) => scope.orgIds.includes(org)))
    throw new AppError("forbidden", "An organization of this import is no longer within reach.");
  return { found, ctx, scope: { ...scope, orgIds: found.orgIds } };
}

async function stage({ found, ctx, scope }: Work): Promise<void> {
  const staged = await stageFiles(found, scope, (rows) => renewLease(found.id, rows));
  const files = found.files.map((file, n) => ({ ...file, ...staged.files[n] }));
  const { columns, totalRows, fingerprint } = staged;
  await tenant(scope, async (tx) => {
    const mayDefine = await reachesWholePartner(tx, ctx);
    const { plan, mappingFrom } = await initialPlan(tx, found, { columns, fingerprint, mayDefine });
    const summary = { ...found.summary, mappingFrom, edits: [] };
    const read = { files, columns, totalRows, fingerprint, plan, summary, jobDone: totalRows };
    await finishWork(tx, found.id, { status: "staged", ...read });
  });
}

async function check({ found, scope }: Work): Promise<void> {
  const tally = await checkRows(found, scope, (rows) => renewLease(found.id, rows));
  const summary: ImportSummary = { ...found.summary, check: { ...tally, checkedAt: new Date().toISOString() } };
  await tenant(scope, (tx) => finishWork(tx, found.id, { status: "checked", summary, jobDone: found.totalRows }));
}

/** The report as it stands; at first it holds the rows that the check could not resolve. */
function reportOf(found: ImportRecord): RunReport {
  if (found.summary.run) return found.summary.run;
  const { writes: _, ...report } = emptyTally(found.plan ? activeFields(found.plan) : []);
  const checked = found.summary.check?.rows;
  for (const outcome of ["ambiguous", "identity_conflict", "not_found", "unreadable"] as const)
    report.rows[outcome] = checked?.[outcome] ?? 0;
  return { ...report, devices: 0, recordedSourceIds: 0, picked: 0, readBack: null };
}

async function finishRun({ found, ctx, scope }: Work, status: "done" | "cancelled"): Promise<void> {
  // Before the lock: the claim is renewed meanwhile.
  const touched = await readBack(found, scope);
  const secrets = await forgetSecrets(found, scope);
  await tenant(scope, async (tx) => {
    const now = await lockImport(tx, ctx, found.id);
    const report = reportOf(now);
    const run = { ...report, readBack: report.fields.map(({ fieldId }) => countsOf(touched, fieldId)) };
    const cancelled = status === "cancelled";
    await auditOutcome(tx, ctx, { found: now, kind: "finish", report: run, touched, cancelled });
    const jobDone = status === "done" ? now.totalRows : now.jobDone;
    const columns = withoutSamples(now.columns, secrets);
    const summary = { ...now.summary, run };
    await finishWork(tx, now.id, { status, jobDone, finishedAt: new Date(), columns, summary });
  });
  // The rows are in the database; files that may hold secrets need not stay on disk.
  await rm(importFolder(found.id), { recursive: true, force: true });
}

/**
 * Works in chunks, each in a transaction that holds the import and within what the person reaches by then, until a chunk
 * says that it is the last.
 */
async function eachChunk(id: string, chunk: (tx: Tx, now: ImportRecord) => Promise<boolean>): Promise<Work> {
  for (;;) {
    const work = await loadWork(id);
    const isLast = await tenant(work.scope, async (tx) => {
      const now = await lockImport(tx, work.ctx, id);
      requireLease(now);
      return chunk(tx, now);
    });
    if (isLast) return work;
  }
}

async function apply({ found, scope }: Work): Promise<void> {
  const plan = await tenant(scope, (tx) => loadPlan(tx, found, scope));
  const last = await eachChunk(found.id, async (tx, now) => {
    await requireSameFields(tx, plan);
    const report = reportOf(now);
    const through = await applyChunk(tx, plan, { after: now.jobDone, report });
    const jobDone = Math.min(through, now.totalRows);
    await markDone(tx, now.id, { jobDone, appliedThrough: jobDone, summary: { ...now.summary, run: report } });
    return through >= now.totalRows;
  });
  return finishRun(last, "done");
}

const NOTHING_UNDONE: UndoReport = { restored: 0, leftAlone: 0, sourceIdsRemoved: 0 };
const undoReportOf = ({ jobDone, summary }: ImportRecord): UndoReport =>
  (jobDone > 0 ? summary.undo : undefined) ?? { ...NOTHING_UNDONE };

async function finishUndo({ found, ctx, scope }: Work): Promise<void> {
  const touched = await readBack(found, scope);
  await tenant(scope, async (tx) => {
    const now = await lockImport(tx, ctx, found.id);
    const report = undoReportOf(now);
    const summary = { ...now.summary, undo: report };
    await auditOutcome(tx, ctx, { found: now, kind: "undo", report, touched, cancelled: false });
    await finishWork(tx, now.id, { status: "undone", undoneAt: new Date(), summary, jobDone: now.totalRows });
  });
}

async function undo({ found }: Work): Promise<void> {
  const last = await eachChunk(found.id, async (tx, now) => {
    await holdDefinitions(tx, now);
    const report = undoReportOf(now);
    const through = await undoChunk(tx, now, { after: now.jobDone, report });
    if (through !== null) await markDone(tx, now.id, { jobDone: through, summary: { ...now.summary, undo: report } });
    return through === null;
  });
  return finishUndo(last);
}

/** Errors of reading that stay until a file, or how it is read, is another one. */
const OF_FILES: readonly ErrorCode[] = ["validation_failed", "payload_too_large", "conflict"];

type End = { error: AppError; values: object };

/** A run that is given up keeps what it wrote and counts as cancelled; like any other that ended, it leaves no secrets behind. */
async function giveUpRun(found: ImportRecord, { error, values }: End): Promise<void> {
  const { id, partnerId, orgIds } = found;
  const secrets = await forgetSecrets(found, { kind: "partner", partnerId, orgIds });
  await asSystem(async (tx) => {
    const columns = withoutSamples(found.columns, secrets);
    await finishWork(tx, id, { ...values, columns, status: "cancelled", finishedAt: new Date() });
    const [home] = await tx
      .select()
      .from(organizations)
      .where(and(eq(organizations.partnerId, partnerId), sql`is_home`));
    if (home)
      record(systemCtx(), {
        action: "custom_fields.import.cancel",
        orgId: home.id,
        resourceType: "custom_field_import",
        resourceId: id,
        result: "failure",
        errorMessage: error.message,
        details: { source: found.source, rowsDone: found.jobDone, rows: found.totalRows },
      });
  });
  await rm(importFolder(id), { recursive: true, force: true });
}

/** Work that cannot continue for a reason that a person should see. */
async function abandon(id: string, error: AppError): Promise<void> {
  const [row] = await asSystem((tx) => tx.select().from(customFieldImports).where(eq(customFieldImports.id, id)));
  if (!row) return;
  const found = toRecord(row);
  const summary = { ...found.summary, isRefused: row.job === "stage" && OF_FILES.includes(error.code) };
  const end: End = { error, values: { error: error.message, summary } };
  await (row.job === "apply" ? giveUpRun(found, end) : asSystem((tx) => finishWork(tx, id, end.values)));
}

async function endWork(id: string, error: unknown): Promise<void> {
  if (error instanceof LostLease) return;
  if (error instanceof Stopped) return releaseLease(id);
  if (error instanceof Cancelled) {
    const work = await loadWork(id);
    return work.found.job === "apply" ? finishRun(work, "cancelled") : asSystem((tx) => finishWork(tx, id, {}));
  }
  if (!(error instanceof AppError)) throw error;
  return abandon(id, error);
}

const WORK: Record<Job, (work: Work) => Promise<void>> = { stage, check, apply, undo };

/**
 * Does the work of an import that this process has claimed, from where it was left. What the file or the person is at
 * fault for becomes the import's error; any other fault leaves the claim to run out, so that the work is tried again.
 */
export async function runImportJob(id: string): Promise<void> {
  const work = async () => {
    const loaded = await loadWork(id);
    if (loaded.found.job) await WORK[loaded.found.job](loaded);
  };
  await whileRenewed(
    () => renewLease(id),
    () => work().catch((error: unknown) => endWork(id, error)),
  );
}
