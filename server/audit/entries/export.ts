import { Readable } from "node:stream";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { record } from "@/server/audit/record/record";
import { type DirectFormat, FORMATS, MAX_EXPORT_ROWS } from "@/server/audit/vocabulary";
import { unawaitedSource } from "@/server/ground/background/unawaited";
import type { Ctx } from "@/server/ground/context";
import { toBody } from "@/server/ground/download";
import { inCallerLimit, inSlot } from "@/server/ground/limits/concurrency";
import { operation } from "@/server/ground/operation";
import { narrow } from "@/server/ground/scope";
import { eachChunk, type Settled, settleRows } from "./each-row";
import { exportEvents } from "./export-event";
import { EXPORT_SLOTS, type ExportInput, exportCsvInput, exportInput } from "./export-schema";
import { writeEntries } from "./export-writer";
import { requireProofForMany } from "./prove-for-many";

type Export = { ctx: Ctx; format: DirectFormat; filter: AuditFilter; rows: Settled; total: number };

/** The text of an export in chunks. However it ends, the rows that left are recorded. */
async function* writeExport({ ctx, format, filter, rows, total }: Export): AsyncGenerator<string> {
  const rowsPerOrg = new Map<string, number>();
  let complete = false;
  try {
    yield* writeEntries(format, {
      read: (shape) => eachChunk(ctx, rows, shape),
      // When there are fewer rows than were settled, retention has removed the oldest in between: these are all.
      totalOf: (written) =>
        written < Math.min(total, MAX_EXPORT_ROWS)
          ? { total: written, isTruncated: false }
          : { total, isTruncated: total > MAX_EXPORT_ROWS },
      rowsPerOrg,
    });
    complete = true;
  } finally {
    const failure = complete ? undefined : "The download ended before it was complete";
    for (const event of exportEvents({ format, filter, rowsPerOrg, failure })) record(ctx, event);
  }
}

/** Rows and total are known before the first byte: the header must say whether the newest rows are all of them. */
const settleExport = async (ctx: Ctx, filter: AuditFilter): Promise<{ rows: Settled; total: number }> => {
  await requireProofForMany(ctx, filter);
  return settleRows(ctx, filter, MAX_EXPORT_ROWS);
};

const startExport = (ctx: Ctx, format: DirectFormat, filter: AuditFilter): Promise<Response> =>
  inSlot(ctx.actor, EXPORT_SLOTS, async (release) => {
    const { rows, total } = await inCallerLimit(ctx, () => settleExport(ctx, filter));
    const text = Readable.from(writeExport({ ctx, format, filter, rows, total }), {
      objectMode: false,
      highWaterMark: 64 * 1024,
    }).once("close", release);
    unawaitedSource(text);
    const { mediaType, ending, direct } = FORMATS[format];
    const headers: Record<string, string> = {
      "Cache-Control": "no-store",
      "Content-Type": mediaType,
      "X-Stream": "true",
    };
    if (total > MAX_EXPORT_ROWS) headers["X-Truncated"] = "true";
    if (direct === "file")
      headers["Content-Disposition"] =
        `attachment; filename="audit-logs-${ctx.now().toISOString().slice(0, 10)}.${ending}"`;
    return new Response(toBody(text), { headers });
  });

/** True where neither a filter nor a range narrows the export: whole logs leave, however short they are. */
export function isEverything({
  filters: { orgId: _, ...filters } = {},
  dateRange,
}: {
  filters?: ({ orgId?: unknown } & object) | undefined;
  dateRange?: ExportInput["dateRange"];
}): boolean {
  return [...Object.values(filters), dateRange?.from, dateRange?.to].every((value) => value === undefined);
}

/** POST /audit-logs/export: JSON or CSV of the newest 10,000 rows that meet the filters, as a stream. */
export const exportEntries = operation({
  permission: "audit:export",
  input: exportInput,
  output: "stream",
  waits: true,
  stepUp: isEverything,
  async run(ctx, { format, filters = {}, dateRange = {} }) {
    const { orgId, ...rest } = filters;
    return startExport(narrow(ctx, orgId), format, { ...rest, ...dateRange });
  },
});

/** GET /audit-logs/export: CSV of the newest 10,000 rows that meet the filters; userId is the actor's id. */
export const exportCsv = operation({
  permission: "audit:export",
  input: exportCsvInput,
  output: "stream",
  waits: true,
  stepUp: (filters) => isEverything({ filters }),
  run: (ctx, { userId, orgId: _, ...filter }) =>
    startExport(ctx, "csv", { ...filter, ...(userId && { actorId: userId }) }),
});
