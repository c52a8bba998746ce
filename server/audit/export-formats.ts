import { keysOf } from "@/server/ground/records";

/**
 * Export formats; `WRITERS` in entries/export-writer.ts has their writers. `label`: name in the dashboard, whose CSV
 * adds organization, error and sentence; null if only the API offers it. `direct`: how POST /audit-logs/export answers,
 * as a file or a JSON answer; null if it only runs in the background.
 */
export const FORMATS = {
  spreadsheet: { label: "CSV", ending: "csv", mediaType: "text/csv; charset=utf-8", direct: "file" },
  csv: { label: null, ending: "csv", mediaType: "text/csv; charset=utf-8", direct: "file" },
  json: { label: "JSON, with all details", ending: "json", mediaType: "application/json", direct: "answer" },
  ndjson: { label: "NDJSON, one entry per line", ending: "ndjson", mediaType: "application/x-ndjson", direct: null },
} as const;
export type ExportFormat = keyof typeof FORMATS;
export const EXPORT_FORMATS = keysOf(FORMATS);
export type DirectFormat = {
  [F in ExportFormat]: (typeof FORMATS)[F]["direct"] extends null ? never : F;
}[ExportFormat];
export const isDirect = (format: ExportFormat): format is DirectFormat => FORMATS[format].direct !== null;
export const DIRECT_FORMATS = EXPORT_FORMATS.filter(isDirect);
/** Distinct media types of some formats, without parameters. */
export const mediaTypesOf = (formats: readonly ExportFormat[]): string[] => [
  ...new Set(formats.map((format) => FORMATS[format].mediaType.replace(/;.*/, ""))),
];
