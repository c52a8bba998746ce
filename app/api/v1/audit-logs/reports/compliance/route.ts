import { reportCompliance } from "@/server/audit/entries/reports/reports";
import { route } from "@/server/doors/http/route";

export const GET = route(reportCompliance, {
  summary: "Access to data and changes to what is governed.",
  auth: "user",
});
