import { submitEvents } from "@/server/audit/record/submit";
import { route } from "@/server/doors/http/route";

export const POST = route(submitEvents, {
  summary: "Submit audit events of other parts of the platform",
  note: "With a key of all organizations every event names its organization as `orgId`: one without is dropped, not recorded.",
  auth: "user",
  status: 202,
  isExact: true,
});
