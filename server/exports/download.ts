import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { FORMATS } from "@/server/audit/export-formats";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { MAX_UNPROVEN_ROWS } from "@/server/audit/vocabulary";
import { trackSource } from "@/server/ground/background/pending-work";
import type { Ctx } from "@/server/ground/context";
import { partOf, toBody } from "@/server/ground/download";
import { AppError } from "@/server/ground/errors";
import { inCallerLimit, inSlot } from "@/server/ground/limits/concurrency";
import { operation } from "@/server/ground/operation";
import { requireRecentProof } from "@/server/ground/recent-proof";
import { type ExportRow, myExport, recordedWith } from "./export-job";
import { exportPath } from "./files";
import { DOWNLOAD_SLOTS, type DownloadInput, downloadInput } from "./schema";

/** A part of a file, both ends included. */
type Span = { first: number; last: number };

type Left = { span: Span; isComplete: boolean; logs: readonly string[] };

/** Records each full or partial download in the log of every organization in the file. */
function recordDownload(ctx: Ctx, row: ExportRow, { span, isComplete, logs }: Left): void {
  for (const orgId of logs)
    record(ctx, {
      action: "audit_logs.export.download",
      orgId,
      ...resourceOf("audit_export", { id: row.id, name: row.fileName }),
      details: { firstByte: span.first, lastByte: span.last, size: row.sizeBytes, sha256: row.sha256 },
      result: isComplete ? "success" : "failure",
      ...(isComplete ? {} : { errorMessage: "The download ended before it was complete" }),
    });
}

async function requireFile(row: ExportRow): Promise<string> {
  if (row.status !== "done")
    throw new AppError("conflict", "The export is not done yet: there is no file to download.");
  const path = exportPath(row.id, row.attempt);
  const found = await stat(path).catch(() => null);
  if (found?.size !== row.sizeBytes)
    throw new AppError("conflict", "The file is not in this server's data folder. Export again.");
  return path;
}

type Sent = { path: string; span: Span; logs: readonly string[]; release: () => void };

function send(ctx: Ctx, row: ExportRow, { path, span, logs, release }: Sent) {
  const file = row.sizeBytes === 0 ? Readable.from([]) : createReadStream(path, { start: span.first, end: span.last });
  let left = span.last - span.first + 1;
  file.on("data", (chunk: Buffer) => {
    left -= chunk.length;
  });
  file.once("close", () => {
    release();
    recordDownload(ctx, row, { span, isComplete: left === 0, logs });
  });
  trackSource(file);
  return toBody(file);
}

type Wanted = { input: DownloadInput; release: () => void };

async function openDownload(ctx: Ctx, { input: { id, range, ifRange }, release }: Wanted): Promise<Response> {
  const row = await myExport(ctx, id);
  if (row.rowsDone > MAX_UNPROVEN_ROWS) requireRecentProof(ctx, "browser");
  const path = await requireFile(row);
  // Without entries, no organization of several needs to know more than another.
  const logs = row.rowsDone > 0 ? row.orgIds : (await recordedWith(row)).orgIds;
  const etag = `"${row.sha256}"`;
  const wanted = { size: row.sizeBytes, etag, range: range ?? null, ifRange: ifRange ?? null };
  const { status, headers: ofPart, ...span } = partOf(wanted);
  const headers = {
    "Content-Type": row.gzip ? "application/gzip" : FORMATS[row.format].mediaType,
    "Content-Disposition": `attachment; filename="${row.fileName}"`,
    "Cache-Control": "private, no-store",
    "X-Stream": "true",
    ...ofPart,
  };
  return new Response(send(ctx, row, { path, span, logs, release }), { status, headers });
}

/**
 * File of one of the caller's own exports, or the requested range for a resumed download.
 * @throws AppError not_found for another user's; conflict before it is done; range_not_satisfiable past its end;
 * step_up_required if it holds many entries
 */
export const downloadExport = operation({
  permission: "audit:export",
  input: downloadInput,
  output: "stream",
  waits: true,
  run: (ctx, input) =>
    inSlot(ctx.actor, DOWNLOAD_SLOTS, (release) => inCallerLimit(ctx, () => openDownload(ctx, { input, release }))),
});
