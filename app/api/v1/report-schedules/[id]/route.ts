import { route } from "@/server/doors/http/route";
import { removeSchedule } from "@/server/notify/report-schedules/schedules";

export const DELETE = route(removeSchedule, {
  summary: "Delete a report schedule; no further report is sent",
  auth: "user",
});
