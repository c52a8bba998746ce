import { reportUserActivity } from "@/server/audit/entries/reports/reports";
import { route } from "@/server/doors/http/route";

export const GET = route(reportUserActivity, {
  summary: "Entries per user, from the newest 5,000 entries.",
  auth: "user",
});
