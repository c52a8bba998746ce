import { route } from "@/server/http/route";
import { createSchedule, listSchedules } from "@/server/report-schedules/schedules";

export const GET = route(listSchedules, { summary: "The reports that are mailed to the caller", auth: "user" });

export const POST = route(createSchedule, {
  summary: "Have a report mailed to the caller every week or month, until the schedule is deleted",
  auth: "user",
  status: 201,
});
