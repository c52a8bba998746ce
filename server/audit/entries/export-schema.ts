import { z } from "zod";
import { DIRECT_FORMATS } from "@/server/audit/export-formats";
import { filterShape, fromBeforeTo, fullEntry } from "@/server/audit/schema";
import { guid } from "@/server/ground/wire";

/** Exports that one caller may have running in one process: each holds rows in memory and takes turns at the database. */
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

/** Query of GET /audit-logs/export: the lists' filters, userId being actorId. An unknown one would export too much. */
export const exportCsvInput = z
  .strictObject({ userId: guid.optional(), orgId, ...commonFilters, from, to })
  .superRefine(fromBeforeTo);

/** total counts every match; `truncated` says that only the newest of them are in data. */
export const exportOutput = z.strictObject({ data: z.array(fullEntry), total: z.int(), truncated: z.boolean() });
