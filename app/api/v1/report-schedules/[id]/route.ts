import { route } from "@/server/http/route";
import { removeSchedule } from "@/server/report-schedules/schedules";

export const DELETE = route(removeSchedule, {
  summary: "End a report schedule; nothing is mailed any more",
  auth: "user",
});
