import { route } from "@/server/http/route";
import { removeSchedule } from "@/server/report-schedules/schedules";

export const DELETE = route(removeSchedule, {
  summary: "Delete a report schedule; no further report is sent",
  auth: "user",
});
