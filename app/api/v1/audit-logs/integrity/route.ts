import { route } from "@/server/doors/http/route";
import { verifyIntegrity } from "@/server/evidence/integrity/integrity";
import { integrityInput } from "@/server/evidence/integrity/schema";

export const GET = route(
  { ...verifyIntegrity, input: integrityInput },
  { summary: "Verifies the chain of one organization, whole, between two timestamps, or by sequence.", auth: "user" },
);
