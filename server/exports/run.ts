import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { and, eq, inArray, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditExports } from "@/db/schema/index";
import { everyRow, type Heads, takeSnapshot } from "@/server/audit/entries/every-row";
import { exportEvents } from "@/server/audit/entries/export";
import { writeEntries } from "@/server/audit/entries/export-writer";
import { record, whenWritten } from "@/server/audit/record/record";
import { type Ctx, systemCtx } from "@/server/ground/context";
import { isDiskFull, requireFreeDisk } from "@/server/ground/disk";
import { AppError } from "@/server/ground/errors";
import { idFrom } from "@/server/ground/ids";
import type { JobKind } from "@/server/ground/jobs";
import { recordEnd } from "./drop";
import { creatorNow, EXPORT_JOB, type ExportRow, filterOf, recordedWith } from "./export-job";
import { createExportsFolder, exportPath, exportsFolder, removeFiles } from "./files";
import { MAX_ATTEMPTS } from "./schema";

type Written = { sizeBytes: number; sha256: string };
type Options = { gzip: boolean; signal: AbortSignal; onBytes: (sum: number) => void };

/** Writes texts to a new file, readable only by this process's user, in constant memory. On disk when this resolves. */
async function writeFile(
  path: string,
  texts: AsyncIterable<string>,
  { gzip, signal, onBytes }: Options,
): Promise<Written> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      onBytes(sizeBytes);
      done(null, chunk);
    },
  });
  const source = Readable.from(texts, { objectMode: false, highWaterMark: 64 * 1024 });
  const target = createWriteStream(path, { flags: "w", mode: 0o600, flush: true });
  if (gzip) await pipeline(source, createGzip(), measure, target, { signal });
  else await pipeline(source, measure, target, { signal });
  return { sizeBytes, sha256: hash.digest("hex") };
}

const PROGRESS_MS = 500;
const DISK_FULL =
  "The server's disk is full. Nothing was kept and the log is unharmed; free space in its data folder, then export again.";

const t = auditExports;

type Work = { row: ExportRow; ctx: Ctx; heads: Heads; rowsPerOrg: Map<string, number> };
type Progress = { rowsDone: number; sizeBytes: number };

/** The export was deleted, or restarted by another process. */
class Gone extends Error {}

/** Takes an unfinished export for a new attempt; late writes of earlier attempts have no effect. */
async function begin(id: string): Promise<ExportRow | undefined> {
  const [row] = await asSystem((tx) =>
    tx
      .update(t)
      .set({ status: "running", attempt: sql`${t.attempt} + 1`, rowsDone: 0, sizeBytes: 0 })
      .where(and(eq(t.id, id), inArray(t.status, ["waiting", "running"])))
      .returning(),
  );
  return row;
}

/** Stores this attempt's progress. @throws Gone */
async function store({ id, attempt }: ExportRow, values: Partial<ExportRow>): Promise<void> {
  const mine = and(eq(t.id, id), eq(t.attempt, attempt), eq(t.status, "running"));
  const [kept] = await asSystem((tx) =>
    tx
      .update(t)
      .set({ status: "running", ...values })
      .where(mine)
      .returning({ id: t.id }),
  );
  if (!kept) throw new Gone();
}

const finish = (row: ExportRow, values: Partial<ExportRow>) => store(row, { ...values, finishedAt: new Date() });

/** Heads of the chains at the first start, so that a restart exports the same entries. */
async function headsOf(row: ExportRow, ctx: Ctx): Promise<Heads> {
  if (row.heads) return row.heads;
  const { heads, total } = await takeSnapshot(ctx, filterOf(row));
  await store(row, { heads, totalRows: total });
  return heads;
}

async function recordDone({ row, ctx, rowsPerOrg }: Work, sha256: string): Promise<void> {
  const logs = rowsPerOrg.size > 0 ? { orgIds: [...rowsPerOrg.keys()], hasFilters: true } : await recordedWith(row);
  const counted = new Map(logs.orgIds.map((orgId) => [orgId, rowsPerOrg.get(orgId) ?? 0]));
  const about = { exportId: row.id, sha256 };
  const more = logs.hasFilters ? about : { ...about, filters: null };
  for (const event of exportEvents({ format: row.format, filter: filterOf(row), rowsPerOrg: counted, more }))
    record(ctx, { ...event, id: idFrom(row.id, event.orgId ?? "", sha256) });
  await whenWritten();
}

async function writeRows(work: Work, stopping: AbortSignal): Promise<void> {
  const { row } = work;
  const progress: Progress = { rowsDone: 0, sizeBytes: 0 };
  let stored = Date.now();
  const step = async (rowsDone: number): Promise<void> => {
    progress.rowsDone = rowsDone;
    stopping.throwIfAborted();
    if (Date.now() - stored < PROGRESS_MS) return;
    stored = Date.now();
    await requireFreeDisk(exportsFolder(), DISK_FULL);
    await store(row, { ...progress });
  };
  const onBytes = (sum: number) => {
    progress.sizeBytes = sum;
  };
  const path = exportPath(row.id, row.attempt);
  const texts = writeEntries(row.format, {
    ctx: work.ctx,
    read: (shape) => everyRow(work.ctx, { filter: filterOf(row), heads: work.heads }, shape),
    onRows: step,
    totalOf: (total) => ({ total, isTruncated: false }),
    rowsPerOrg: work.rowsPerOrg,
  });
  const written = await writeFile(path, texts, { gzip: row.gzip, signal: stopping, onBytes });
  // Recorded before the download is possible. The entry's id derives from the file, so repeating adds none; a rewritten
  // file that differs, as after a renaming, gets its own entry.
  await store(row, {});
  await recordDone(work, written.sha256);
  const { rowsDone } = progress;
  // From now on it belongs only to organizations with entries in the file.
  const orgIds = rowsDone > 0 ? [...work.rowsPerOrg.keys()] : row.orgIds;
  await finish(row, { status: "done", rowsDone, totalRows: rowsDone, orgIds, ...written });
}

/** Message for a permanent failure; null for others. */
function reasonOf(error: unknown): string | null {
  if (isDiskFull(error)) return DISK_FULL;
  return error instanceof AppError ? error.message : null;
}

async function fail(row: ExportRow, why: string): Promise<void> {
  const [creator, logs] = await Promise.all([creatorNow(row), recordedWith(row)]);
  await finish(row, { status: "failed", error: why, rowsDone: 0, sizeBytes: 0 });
  recordEnd(creator ?? systemCtx(), row, { why, logs });
}

async function endWork(row: ExportRow, error: unknown, stopping: AbortSignal): Promise<void> {
  await removeFiles(row.id, row.attempt);
  if (error instanceof Gone) return;
  const why = stopping.aborted ? null : reasonOf(error);
  if (why !== null) return fail(row, why);
  throw error;
}

async function write(row: ExportRow, stopping: AbortSignal): Promise<void> {
  if (row.attempt > MAX_ATTEMPTS)
    throw new AppError("unavailable", `It was begun ${MAX_ATTEMPTS} times and never completed.`);
  createExportsFolder();
  await removeFiles(row.id, row.attempt - 1);
  const ctx = await creatorNow(row);
  if (!ctx) throw new AppError("forbidden", "The person who asked for it no longer has access to what it would hold.");
  const heads = await headsOf(row, ctx);
  await writeRows({ row, ctx, heads, rowsPerOrg: new Map() }, stopping);
}

/** Writes an export from the start; a restart after its process stopped does not count as an attempt. */
export const exportWork: JobKind<{ id: string }> = {
  name: EXPORT_JOB,
  atOnce: 1,
  async run({ id }, { signal }) {
    const row = await begin(id);
    if (!row) return;
    try {
      await write(row, signal).catch((error: unknown) => endWork(row, error, signal));
    } catch (error) {
      if (signal.aborted) await store(row, { attempt: row.attempt - 1 }).catch(() => {});
      if (!(error instanceof Gone)) throw error;
    }
  },
};
