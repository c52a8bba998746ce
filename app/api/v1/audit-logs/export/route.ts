import { exportCsv, exportEntries } from "@/server/audit/entries/export";
import { exportOutput } from "@/server/audit/entries/export-schema";
import { DIRECT_FORMATS, mediaTypesOf } from "@/server/audit/export-formats";
import { route } from "@/server/doors/http/route";

export const POST = route(exportEntries, {
  summary: "The newest 10,000 entries that match the filters, as JSON, CSV or CSV for Excel",
  auth: "user",
  body: "optional",
  produces: mediaTypesOf(DIRECT_FORMATS),
  streams: exportOutput,
});

export const GET = route(exportCsv, {
  summary: "The newest 10,000 entries that match the filters, as CSV",
  auth: "user",
  produces: ["text/csv"],
});
