import { userActivityReport } from "@/server/audit/entries/report-schema";
import { reportUserActivity } from "@/server/audit/entries/reports";
import { rangeInput } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Who did how much, from the newest 5,000 entries.",
  auth: "user",
  permission: "audit:read",
  input: rangeInput,
  output: userActivityReport,
  run: reportUserActivity,
});
