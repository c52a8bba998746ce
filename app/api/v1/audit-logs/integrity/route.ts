import { verifyIntegrity } from "@/server/audit/integrity/integrity";
import { integrityInput } from "@/server/audit/integrity/schema";
import { route } from "@/server/http/route";

export const GET = route(
  { ...verifyIntegrity, input: integrityInput },
  { summary: "Verifies the chain of one organization, whole, between two timestamps, or by sequence.", auth: "user" },
);
