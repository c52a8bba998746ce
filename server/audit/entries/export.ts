import { Readable } from "node:stream";
import { tenantRead } from "@/db/read";
import { type DirectFormat, FORMATS } from "@/server/audit/export-formats";
import { FILTERS } from "@/server/audit/query/catalogue";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { deadlineOf } from "@/server/audit/query/deadline";
import { planFor } from "@/server/audit/query/plan";
import type { Key } from "@/server/audit/query/rows";
import { findKeys } from "@/server/audit/query/search";
import { type AuditEvent, record } from "@/server/audit/record/record";
import { MAX_EXPORT_ROWS, MAX_UNPROVEN_ROWS } from "@/server/audit/vocabulary";
import { trackSource } from "@/server/ground/background/pending-work";
import type { Ctx } from "@/server/ground/context";
import { toBody } from "@/server/ground/download";
import { inCallerLimit, inSlot } from "@/server/ground/limits/concurrency";
import { operation } from "@/server/ground/operation";
import { lacksRecentProof, requireRecentProof } from "@/server/ground/recent-proof";
import { narrow } from "@/server/ground/scope";
import { eachChunk, settleRows } from "./every-row";
import { EXPORT_SLOTS, type ExportInput, exportCsvInput, exportInput } from "./export-schema";
import { writeEntries } from "./export-writer";

/** Describes the exported part of the log in the export's own audit entry. */
function detailsOf(format: string, { from, to, ...filters }: AuditFilter) {
  const one = Object.entries(filters).map(([name, value]) =>
    Array.isArray(value) && value.length === 1 && name in FILTERS ? [name, value[0]] : [name, value],
  );
  const dateRange = { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null };
  return { format, filters: JSON.parse(JSON.stringify(Object.fromEntries(one))), dateRange };
}

type Exported = {
  format: string;
  filter: AuditFilter;
  /** Exported rows by organization; empty if nothing matched. */
  rowsPerOrg: ReadonlyMap<string, number>;
  /** Reason that the export stopped early. */
  failure?: string | undefined;
  more?: Record<string, unknown>;
};

/**
 * Audit entries of an export: one per organization with exported rows, or one in the caller's own if nothing matched.
 */
export function exportEvents({ format, filter, rowsPerOrg, failure, more }: Exported): AuditEvent[] {
  const about = detailsOf(format, filter);
  const targets: [string | undefined, number][] = rowsPerOrg.size > 0 ? [...rowsPerOrg] : [[undefined, 0]];
  return targets.map(([orgId, rows]) => ({
    action: "audit_logs.export",
    ...(orgId ? { orgId } : {}),
    resourceType: "audit_log",
    resourceName: "Audit log",
    details: { ...about, rows, ...more },
    result: failure === undefined ? "success" : "failure",
    ...(failure === undefined ? {} : { errorMessage: failure }),
  }));
}

async function areMany(ctx: Ctx, filter: AuditFilter): Promise<boolean> {
  const window = { need: MAX_UNPROVEN_ROWS + 1, deadline: deadlineOf(ctx, "proof") };
  const { keys, cut } = await tenantRead(ctx.scope, async (tx) => findKeys(tx, await planFor(tx, ctx, filter), window));
  return cut || keys.length > MAX_UNPROVEN_ROWS;
}

/**
 * Requires a recent identity check before a browser session exports this many entries, regardless of the filters.
 * @throws AppError step_up_required
 */
export async function requireProofForMany(ctx: Ctx, filter: AuditFilter): Promise<void> {
  if (lacksRecentProof(ctx, "browser") && (await areMany(ctx, filter))) requireRecentProof(ctx, "browser");
}

type Export = { ctx: Ctx; format: DirectFormat; filter: AuditFilter; keys: readonly Key[]; total: number };

/** Streams the export; however it ends, the exported rows are recorded. */
async function* writeExport({ ctx, format, filter, keys, total }: Export): AsyncGenerator<string> {
  const rowsPerOrg = new Map<string, number>();
  let complete = false;
  try {
    yield* writeEntries(format, {
      ctx,
      read: (shape) => eachChunk(ctx, keys, shape),
      // Fewer rows than settled means that retention removed the oldest ones; nothing else is missing.
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

const startExport = (ctx: Ctx, format: DirectFormat, filter: AuditFilter): Promise<Response> =>
  inSlot(ctx.actor, EXPORT_SLOTS, async (release) => {
    // Before the first byte, because the header states whether the export is complete.
    const { keys, total } = await inCallerLimit(ctx, async () => {
      await requireProofForMany(ctx, filter);
      return settleRows(ctx, filter, MAX_EXPORT_ROWS);
    });
    const text = Readable.from(writeExport({ ctx, format, filter, keys, total }), {
      objectMode: false,
      highWaterMark: 64 * 1024,
    }).once("close", release);
    trackSource(text);
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

/** True if no filter or range narrows the export: that is a whole log, however short. */
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
