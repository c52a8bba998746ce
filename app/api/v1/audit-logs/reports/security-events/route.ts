import { securityReport } from "@/server/audit/report-schema";
import { reportSecurityEvents } from "@/server/audit/reports";
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
