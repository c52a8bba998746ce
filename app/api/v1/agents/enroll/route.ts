import { enrollAgent } from "@/server/agents/enroll";
import { route } from "@/server/http/route";

export const POST = route(enrollAgent, {
  summary: "Enroll an agent with an enrollment key",
  auth: "none",
  status: 201,
  idempotent: { provenBy: "enrollmentKey" },
});
