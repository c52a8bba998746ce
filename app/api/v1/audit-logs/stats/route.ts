import { statistics } from "@/server/audit/entries/report-schema";
import { getStatistics } from "@/server/audit/entries/reports";
import { rangeInput } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Entries by category and by actor.",
  auth: "user",
  permission: "audit:read",
  input: rangeInput,
  output: statistics,
  run: getStatistics,
});
