import { Readable } from "node:stream";
import type { AuditFilter } from "@/server/audit/query/conditions";
import type { BodyRow } from "@/server/audit/query/rows";
import { record } from "@/server/audit/record/record";
import { MAX_EXPORT_ROWS } from "@/server/audit/vocabulary";
import { unawaitedSource } from "@/server/ground/background/unawaited";
import type { Ctx } from "@/server/ground/context";
import { toBody } from "@/server/ground/download";
import { inFairShare } from "@/server/ground/limits/fair-share";
import { inSlot } from "@/server/ground/limits/slots";
import { operation } from "@/server/ground/operation";
import { narrow } from "@/server/ground/scope";
import { eachChunk, type Settled, settleRows } from "./each-row";
import { exportEvents } from "./export-event";
import { EXPORT_SLOTS, type ExportInput, exportCsvInput, exportInput } from "./export-schema";
import { asCsv, asJson, type Writer } from "./export-writer";
import { requireProofForMany } from "./prove-for-many";

type Format = ExportInput["format"];
type Plan = { ctx: Ctx; format: Format; filter: AuditFilter; rows: Settled; total: number };

/** The text of an export in chunks. However it ends, the rows that left are recorded. */
async function* writeExport<Row extends BodyRow>(plan: Plan, writer: Writer<Row>): AsyncGenerator<string> {
  const rowsPerOrg = new Map<string, number>();
  let complete = false;
  try {
    let first = true;
    yield writer.head;
    for await (const rows of eachChunk(plan.ctx, plan.rows, writer.shape)) {
      for (const { org_id } of rows) rowsPerOrg.set(org_id, (rowsPerOrg.get(org_id) ?? 0) + 1);
      yield writer.body(rows, first);
      first = false;
    }
    const written = [...rowsPerOrg.values()].reduce((sum, rows) => sum + rows, 0);
    // When there are fewer rows than were settled, retention has removed the oldest in between: these are all.
    const total = written < Math.min(plan.total, MAX_EXPORT_ROWS) ? written : plan.total;
    yield writer.tail(total, total > MAX_EXPORT_ROWS);
    complete = true;
  } finally {
    const failure = complete ? undefined : "The download ended before it was complete";
    const { ctx, format, filter } = plan;
    for (const event of exportEvents({ format, filter, rowsPerOrg, failure })) record(ctx, event);
  }
}

/** Rows and total are known before the first byte: the header must say whether the newest rows are all of them. */
const settleExport = async (ctx: Ctx, filter: AuditFilter): Promise<{ rows: Settled; total: number }> => {
  await requireProofForMany(ctx, filter);
  return settleRows(ctx, filter, MAX_EXPORT_ROWS);
};

const startExport = (ctx: Ctx, format: Format, filter: AuditFilter): Promise<Response> =>
  inSlot(ctx.actor, EXPORT_SLOTS, async (release) => {
    const { rows, total } = await inFairShare(ctx, () => settleExport(ctx, filter));
    const plan = { ctx, format, filter, rows, total };
    const parts = format === "csv" ? writeExport(plan, asCsv) : writeExport(plan, asJson);
    const text = Readable.from(parts, { objectMode: false, highWaterMark: 64 * 1024 }).once("close", release);
    unawaitedSource(text);
    const headers: Record<string, string> = { "Cache-Control": "no-store" };
    if (total > MAX_EXPORT_ROWS) headers["X-Truncated"] = "true";
    if (format === "csv") {
      headers["Content-Type"] = "text/csv; charset=utf-8";
      headers["Content-Disposition"] = `attachment; filename="audit-logs-${ctx.now().toISOString().slice(0, 10)}.csv"`;
    } else {
      headers["Content-Type"] = "application/json";
      headers["X-Stream"] = "true";
    }
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
