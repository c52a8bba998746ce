import { exportEvidence } from "@/server/audit/integrity/evidence";
import { integrityInput } from "@/server/audit/integrity/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "A self-contained evidence bundle (NDJSON) that the offline verifier checks with no access to the server.",
  auth: "user",
  permission: "audit:export",
  input: integrityInput,
  output: "stream",
  produces: ["application/x-ndjson"],
  run: exportEvidence,
});
