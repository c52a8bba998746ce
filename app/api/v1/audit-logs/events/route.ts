import { submitEvents } from "@/server/audit/record/submit";
import { route } from "@/server/http/route";

export const POST = route(submitEvents, {
  summary: "Submit audit events of other parts of the platform",
  auth: "user",
  status: 202,
  exactNumbers: true,
});
