import { rm } from "node:fs/promises";
import { and, eq, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { organizations } from "@/db/schema/index";
import { holdDefinitions, rulesOf } from "@/server/custom-fields/definitions";
import { rowsAtOnce } from "@/server/custom-fields/import/decide/batch-size";
import { type LoadedPlan, loadPlan } from "@/server/custom-fields/import/decide/load-plan";
import { emptyTally } from "@/server/custom-fields/import/decide/tally";
import { loadKnown } from "@/server/custom-fields/import/map/default-plan";
import { initialPlan, leftOutSecrets, withoutSamples } from "@/server/custom-fields/import/map/mapping";
import type { RunReport } from "@/server/custom-fields/import/outcome-schema";
import { activeFields } from "@/server/custom-fields/import/plan-schema";
import { readFiles } from "@/server/custom-fields/import/reader/read-files";
import type { Staged } from "@/server/custom-fields/import/reader/stage-rows";
import {
  type ImportRecord,
  importFolder,
  lockImport,
  type PartnerScope,
  partnerScope,
  updateImport,
} from "@/server/custom-fields/import/record";
import type { ChangedByOrg, ImportSummary, Job, UndoReport } from "@/server/custom-fields/import/schema";
import { type Ctx, systemCtx } from "@/server/ground/context";
import { AppError, type ErrorCode } from "@/server/ground/errors";
import type { JobKind } from "@/server/ground/jobs";
import { findUserCaller } from "@/server/identity/auth/caller";
import { applyChunk } from "./apply";
import {
  type Attempt,
  beginAttempt,
  Cancelled,
  finishWork,
  Gone,
  readWork,
  requireGoing,
  requireNewest,
  storeProgress,
} from "./attempt";
import { auditOutcome } from "./audit-outcome";
import { checkRows } from "./check";
import { changedByOrg, countsOf, readBack } from "./read-back";
import { hasChanges } from "./tables/changes";
import { forgetEdits } from "./tables/edits";
import { clearTables, forgetColumns, insertStaged } from "./tables/staged";
import { undoChunk } from "./undo";

/**
 * Empties secret columns not chosen for import, in batches, so that no statement grows with the file. Safe to repeat
 * after a kill.
 * @returns these columns.
 */
async function forgetSecrets(found: ImportRecord, scope: PartnerScope): Promise<number[]> {
  const columns = leftOutSecrets(found);
  if (columns.length === 0) return columns;
  const rows = rowsAtOnce(found);
  for (let after = 0; after < found.totalRows; after += rows)
    await tenant(scope, (tx) => forgetColumns(tx, found.id, { columns, after, through: after + rows }));
  await tenant(scope, (tx) => forgetEdits(tx, found.id, columns));
  return columns;
}

/**
 * Locks a run's fields for one of its transactions.
 * @throws AppError conflict when one of them has been deleted, or given another type, since the run was loaded
 */
async function requireSameFields(tx: Tx, { partnerId, fields }: LoadedPlan): Promise<void> {
  await holdDefinitions(tx, { partnerId });
  const rules = await rulesOf(
    tx,
    fields.map(({ fieldId }) => fieldId),
  );
  const other = fields.find(({ fieldId, rule }) => rules.get(fieldId)?.type !== rule.type);
  if (other)
    throw new AppError(
      "conflict",
      `${other.name} was deleted or given another type during the import, which ended there.`,
    );
}

/**
 * Stages all files of an import in one transaction, so that a kill leaves nothing partial. `onRows` receives the number
 * of rows read, and may throw to stop.
 * @throws AppError the errors of reading; payload_too_large for too many rows or columns in all files together.
 */
function stageFiles(
  found: ImportRecord,
  scope: PartnerScope,
  onRows: (rows: number) => Promise<void>,
): Promise<Staged> {
  const files = found.files.map(({ name, path, format }) => ({ name, path, format }));
  return tenant(scope, async (tx) => {
    await clearTables(tx, found.id, ["rows", "results", "edits"]);
    return readFiles({ kind: "stage", source: found.source, files }, async ({ json, through }) => {
      await insertStaged(tx, found, json);
      await onRows(through);
    });
  });
}

/** Work on behalf of a person, within their current reach. */
type Work = { attempt: Attempt; found: ImportRecord; ctx: Ctx; scope: PartnerScope };

const findPerson = ({ summary, createdBy }: ImportRecord) => findUserCaller(summary.actor?.id ?? createdBy);

/**
 * Loads the import and the person who started the work, with their current access.
 * @throws AppError forbidden when the right to import, or an organization of the import, has gone, or a required second
 * factor is not set up; Gone.
 */
async function loadWork(attempt: Attempt): Promise<Work> {
  const found = await readWork(attempt);
  const caller = await findPerson(found);
  if (!caller?.permissions.has("custom_fields:import") || caller.mustEnroll)
    throw new AppError("forbidden", "The person who started this can no longer import.");
  const ctx = { ...systemCtx(), ...caller };
  const scope = partnerScope(ctx);
  if (!found.orgIds.every((org) => scope.orgIds.includes(org)))
    throw new AppError(
      "forbidden",
      "The person who started this has no access any more to an organization of this import.",
    );
  return { attempt, found, ctx, scope: { ...scope, orgIds: found.orgIds } };
}

/**
 * Loads work that cannot continue, to record its result on behalf of the person regardless of reach, or of the platform
 * if the person is gone.
 */
async function loadEnded(attempt: Attempt, found: ImportRecord): Promise<Work> {
  const { partnerId, orgIds } = found;
  const scope: PartnerScope = { kind: "partner", partnerId, orgIds };
  const caller = await findPerson(found);
  const [home] = await asSystem((tx) =>
    tx
      .select({ id: organizations.id })
      .from(organizations)
      .where(and(eq(organizations.partnerId, partnerId), sql`is_home`)),
  );
  const { actor } = caller ?? systemCtx();
  return { attempt, found, ctx: { ...systemCtx(), actor, scope, homeOrgId: home?.id ?? null }, scope };
}

async function stage({ attempt, found, ctx, scope }: Work): Promise<void> {
  const staged = await stageFiles(found, scope, (rows) => storeProgress(attempt, rows));
  const files = found.files.map((file, n) => ({ ...file, ...staged.files[n] }));
  const { columns, totalRows, fingerprint } = staged;
  await tenant(scope, async (tx) => {
    const known = await loadKnown(tx, ctx, { ...found, columns });
    const { plan, mappingFrom } = await initialPlan(tx, found, { known, fingerprint });
    const summary = { ...found.summary, mappingFrom, edits: [] };
    const read = { files, columns, totalRows, fingerprint, plan, summary, jobDone: totalRows };
    await finishWork(tx, attempt, { status: "staged", ...read });
  });
}

async function check({ attempt, found, scope }: Work): Promise<void> {
  const tally = await checkRows(found, scope, (rows) => storeProgress(attempt, rows));
  const summary: ImportSummary = { ...found.summary, check: { ...tally, checkedAt: new Date().toISOString() } };
  await tenant(scope, (tx) => finishWork(tx, attempt, { status: "checked", summary, jobDone: found.totalRows }));
}

/** Current report; initially the rows that the check could not resolve. */
function reportOf(found: ImportRecord): RunReport {
  if (found.summary.run) return found.summary.run;
  const { writes: _, ...report } = emptyTally(found.plan ? activeFields(found.plan) : []);
  const checked = found.summary.check?.rows;
  for (const outcome of ["ambiguous", "identity_conflict", "not_found", "unreadable"] as const)
    report.rows[outcome] = checked?.[outcome] ?? 0;
  return { ...report, devices: 0, recordedSourceIds: 0, picked: 0, readBack: null };
}

/**
 * Locks the import to record the end of its work, which only the newest attempt may do: an earlier one's entry would
 * replace its successor's.
 * @throws Gone.
 */
async function lockEnded(tx: Tx, { attempt, ctx }: Work): Promise<ImportRecord> {
  const now = await lockImport(tx, ctx, attempt.id);
  requireNewest(now, attempt);
  return now;
}

/** error: reason that a run was given up; it keeps what it wrote and counts as cancelled. */
type RunEnd = { status: "done" | "cancelled"; error?: AppError };

async function finishRun(work: Work, { status, error }: RunEnd): Promise<void> {
  const { attempt, found, ctx, scope } = work;
  // Before the lock, for which callers wait.
  const touched = await readBack(found, scope);
  const secrets = await forgetSecrets(found, scope);
  await tenant(scope, async (tx) => {
    const now = await lockEnded(tx, work);
    const report = reportOf(now);
    const run = { ...report, readBack: report.fields.map(({ fieldId }) => countsOf(touched, fieldId)) };
    const outcome = { changed: changedByOrg(touched), cancelled: status === "cancelled", problem: error?.message };
    await auditOutcome(tx, ctx, { found: now, kind: "finish", report: run, ...outcome });
    const jobDone = status === "done" ? now.totalRows : now.jobDone;
    const columns = withoutSamples(now.columns, secrets);
    const summary = { ...now.summary, run };
    const ended = { status, finishedAt: new Date(), error: error?.message ?? null };
    await finishWork(tx, attempt, { ...ended, jobDone, columns, summary });
  });
  // The rows are in the database, so files that may hold secrets are removed.
  await rm(importFolder(found.id), { recursive: true, force: true });
}

/**
 * Works in chunks, each in a transaction that locks the import and applies the person's current reach, until the last
 * chunk.
 */
async function eachChunk(attempt: Attempt, chunk: (tx: Tx, now: ImportRecord) => Promise<boolean>): Promise<Work> {
  for (;;) {
    const work = await loadWork(attempt);
    const isLast = await tenant(work.scope, async (tx) => {
      const now = await lockImport(tx, work.ctx, attempt.id);
      requireGoing(now, attempt);
      return chunk(tx, now);
    });
    if (isLast) return work;
  }
}

async function apply({ attempt, found, scope }: Work): Promise<void> {
  const plan = await tenant(scope, (tx) => loadPlan(tx, found, scope));
  const last = await eachChunk(attempt, async (tx, now) => {
    await requireSameFields(tx, plan);
    const report = reportOf(now);
    const through = await applyChunk(tx, plan, { after: now.jobDone, report });
    const jobDone = Math.min(through, now.totalRows);
    await updateImport(tx, now.id, { jobDone, appliedThrough: jobDone, summary: { ...now.summary, run: report } });
    return through >= now.totalRows;
  });
  return finishRun(last, { status: "done" });
}

/** Current report over all undo runs: one that ended early can be continued. */
const undoReportOf = ({ summary }: ImportRecord): UndoReport =>
  summary.undo ?? { restored: 0, leftAlone: 0, sourceIdsRemoved: 0 };

/** Changes of this undo; earlier ones are already recorded. */
const restoringOf = ({ jobDone, summary }: ImportRecord): ChangedByOrg =>
  (jobDone > 0 ? summary.restoring : undefined) ?? {};

/** Reason that an undo ended early; error is also shown if nobody requested the end. */
type UndoEnd = { problem?: string; error?: string };

/** If changes remain, the import keeps its state except for the restored values. */
async function finishUndo(work: Work, { error, problem = error }: UndoEnd = {}): Promise<void> {
  const { attempt, ctx, scope } = work;
  await tenant(scope, async (tx) => {
    const now = await lockEnded(tx, work);
    const report = undoReportOf(now);
    const cancelled = await hasChanges(tx, now.id, now.jobDone);
    const outcome = { changed: restoringOf(now), cancelled, problem: cancelled ? problem : undefined };
    await auditOutcome(tx, ctx, { found: now, kind: "undo", report, ...outcome });
    const { restoring: _, ...summary } = { ...now.summary, undo: report };
    const undone = { status: "undone", undoneAt: new Date(), jobDone: now.totalRows };
    await finishWork(tx, attempt, { summary, ...(cancelled ? { error: error ?? null } : undone) });
  });
}

async function undo({ attempt }: Work): Promise<void> {
  const last = await eachChunk(attempt, async (tx, now) => {
    await holdDefinitions(tx, now);
    const [report, restoring] = [undoReportOf(now), restoringOf(now)];
    const through = await undoChunk(tx, now, { after: now.jobDone, report, restoring });
    const summary = { ...now.summary, undo: report, restoring };
    if (through !== null) await updateImport(tx, now.id, { jobDone: through, summary });
    return through === null;
  });
  return finishUndo(last);
}

/** Reading errors that remain until a file or its format changes. */
const OF_FILES: readonly ErrorCode[] = ["validation_failed", "payload_too_large", "conflict"];

/** Ends work that cannot continue, with a reason for a person. */
async function abandon(attempt: Attempt, error: AppError): Promise<void> {
  const found = await readWork(attempt);
  if (found.job === "apply") return finishRun(await loadEnded(attempt, found), { status: "cancelled", error });
  if (found.job === "undo") return finishUndo(await loadEnded(attempt, found), { error: error.message });
  const summary = { ...found.summary, isRefused: found.job === "stage" && OF_FILES.includes(error.code) };
  return asSystem((tx) => finishWork(tx, attempt, { error: error.message, summary }));
}

async function cancel(attempt: Attempt): Promise<void> {
  const work = await loadWork(attempt);
  if (work.found.job === "apply") return finishRun(work, { status: "cancelled" });
  if (work.found.job === "undo") return finishUndo(work, { problem: "It was cancelled before its last row." });
  return asSystem((tx) => finishWork(tx, attempt, {}));
}

/** @throws errors that the job library retries, in another process if this one ends. */
async function endWork(attempt: Attempt, error: unknown): Promise<void> {
  if (attempt.signal.aborted || error instanceof Gone) throw error;
  if (error instanceof Cancelled) return cancel(attempt);
  if (!(error instanceof AppError)) throw error;
  return abandon(attempt, error);
}

const WORK: Record<Job, (work: Work) => Promise<void>> = { stage, check, apply, undo };
const MAX_ATTEMPTS = 25;

async function work(attempt: Attempt, isLast: boolean): Promise<void> {
  const loaded = await loadWork(attempt);
  if (loaded.found.cancelRequested) throw new Cancelled();
  if (isLast) throw new AppError("unavailable", `It was begun ${MAX_ATTEMPTS} times and never completed.`);
  if (loaded.found.job) await WORK[loaded.found.job](loaded);
}

/**
 * Continues an import's work. A fault of the file or the person becomes the import's error; other faults are retried.
 */
export const importWork: JobKind<{ id: string }> = {
  name: "import",
  atOnce: 1,
  maxAttempts: MAX_ATTEMPTS,
  async run({ id }, { signal, attempt: tries }) {
    const attempt = await beginAttempt(id, signal);
    if (!attempt) return;
    try {
      await work(attempt, tries >= MAX_ATTEMPTS).catch((error: unknown) => endWork(attempt, error));
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  },
};
