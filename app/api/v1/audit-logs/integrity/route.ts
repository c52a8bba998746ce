import { verifyIntegrity } from "@/server/audit/integrity/integrity";
import { integrityInput, integrityOutput } from "@/server/audit/integrity/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Verifies the chain of one organization, whole or between two timestamps.",
  auth: "user",
  permission: "audit:read",
  input: integrityInput,
  output: integrityOutput,
  run: verifyIntegrity,
});
