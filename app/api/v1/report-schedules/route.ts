import { route } from "@/server/doors/http/route";
import { createSchedule, listSchedules } from "@/server/notify/report-schedules/schedules";

export const GET = route(listSchedules, { summary: "The reports that are e-mailed to the caller", auth: "user" });

export const POST = route(createSchedule, {
  summary: "Schedule a report to be e-mailed to the caller every week or month, until the schedule is deleted",
  auth: "user",
  status: 201,
});
