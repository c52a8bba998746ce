import { route } from "@/server/doors/http/route";
import { getEntryProof } from "@/server/evidence/proofs/prove";

export const GET = route(getEntryProof, {
  summary:
    "The proof of one entry (c2sp.org/tlog-proof): the entry as it was hashed, its path to the root, a signed checkpoint.",
  auth: "user",
  produces: ["text/plain"],
  errors: ["conflict", "unavailable"],
});
