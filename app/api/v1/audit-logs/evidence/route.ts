import { route } from "@/server/doors/http/route";
import { exportEvidence } from "@/server/evidence/export/export";

export const GET = route(exportEvidence, {
  summary: "A self-contained evidence bundle (NDJSON) that the offline verifier checks with no access to the server",
  auth: "user",
  produces: ["application/x-ndjson"],
});
