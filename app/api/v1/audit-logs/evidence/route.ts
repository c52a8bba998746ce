import { exportEvidence } from "@/server/audit/evidence/export";
import { route } from "@/server/http/route";

export const GET = route(exportEvidence, {
  summary: "A self-contained evidence bundle (NDJSON) that the offline verifier checks with no access to the server",
  auth: "user",
  produces: ["application/x-ndjson"],
});
