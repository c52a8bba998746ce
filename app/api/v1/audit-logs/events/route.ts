import { submitEvents } from "@/server/audit/record/submit";
import { submitInput, submitOutput } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "Submit audit events of other parts of the platform",
  auth: "user",
  permission: "audit:write",
  input: submitInput,
  output: submitOutput,
  status: 202,
  run: submitEvents,
});
