import { complianceReport } from "@/server/audit/entries/report-schema";
import { reportCompliance } from "@/server/audit/entries/reports";
import { rangeInput } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Access to data and changes to what is governed.",
  auth: "user",
  permission: "audit:read",
  input: rangeInput,
  output: complianceReport,
  run: reportCompliance,
});
