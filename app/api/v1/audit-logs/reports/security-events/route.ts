import { securityReport } from "@/server/audit/entries/report-schema";
import { reportSecurityEvents } from "@/server/audit/entries/reports";
import { rangeInput } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Sign-ins, permission and policy changes.",
  auth: "user",
  permission: "audit:read",
  input: rangeInput,
  output: securityReport,
  run: reportSecurityEvents,
});
