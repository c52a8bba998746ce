import { exportOutput } from "@/server/audit/entries/export-schema";
import { EXPORT_FORMATS, mediaTypesOf } from "@/server/audit/export-formats";
import { route } from "@/server/doors/http/route";
import { downloadExport } from "@/server/exports/download";

export const GET = route(downloadExport, {
  summary: "The file of a background export; a Range resumes a download",
  auth: "user",
  headers: { range: "Range", ifRange: "If-Range" },
  produces: [...mediaTypesOf(EXPORT_FORMATS), "application/gzip"],
  streams: exportOutput,
  errors: ["range_not_satisfiable"],
  partial: true,
});
