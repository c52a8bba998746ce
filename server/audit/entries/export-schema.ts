import { z } from "zod";
import { DIRECT_FORMATS } from "@/server/audit/export-formats";
import { filterShape, fromBeforeTo, fullEntry } from "@/server/audit/schema";
import { guid } from "@/server/ground/wire";

/** Concurrent exports per caller and process: each holds rows in memory and shares the database. */
export const EXPORT_SLOTS = { kind: "exports", max: 2, advice: "Wait until one of them has ended." };

const { from, to, orgId, ...filters } = filterShape;
const { actorId: _, ...commonFilters } = filters;

/** Body of POST /audit-logs/export: the lists' filters. */
export const exportInput = z.strictObject({
  format: z.enum(DIRECT_FORMATS).default("json"),
  orgId,
  filters: z.strictObject({ ...filters, orgId }).optional(),
  dateRange: z.strictObject({ from, to }).superRefine(fromBeforeTo).optional(),
});
export type ExportInput = z.output<typeof exportInput>;

/**
 * Query of GET /audit-logs/export: the filters of the lists, userId being actorId. Unknown members are refused:
 * ignoring one would export too much.
 */
export const exportCsvInput = z
  .strictObject({ userId: guid.optional(), orgId, ...commonFilters, from, to })
  .superRefine(fromBeforeTo);

/** total counts every match; `truncated` means that data has only the newest. */
export const exportOutput = z.strictObject({ data: z.array(fullEntry), total: z.int(), truncated: z.boolean() });
