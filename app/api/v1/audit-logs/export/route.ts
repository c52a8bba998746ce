import { exportCsv, exportEntries } from "@/server/audit/entries/export";
import { exportCsvInput, exportInput } from "@/server/audit/entries/export-schema";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "The newest 10,000 entries that meet the filters, as JSON or CSV.",
  auth: "user",
  permission: "audit:export",
  input: exportInput,
  output: "stream",
  produces: ["application/json", "text/csv"],
  run: exportEntries,
});

export const GET = route({
  summary: "The newest 10,000 entries as CSV, of one actor where userId names one.",
  auth: "user",
  permission: "audit:export",
  input: exportCsvInput,
  output: "stream",
  produces: ["text/csv"],
  run: exportCsv,
});
