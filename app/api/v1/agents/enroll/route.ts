import { enrollAgent, requireGoodKey } from "@/server/devices/agents/enroll";
import { route } from "@/server/doors/http/route";

export const POST = route(enrollAgent, {
  summary: "Enroll an agent with an enrollment key",
  auth: "none",
  status: 201,
  idempotent: { provenBy: "enrollmentKey", requireGood: requireGoodKey },
});
