import { route } from "@/server/doors/http/route";
import { listCheckpoints } from "@/server/evidence/integrity/integrity";

export const GET = route(listCheckpoints, {
  summary: "The signed checkpoints of one organization, newest first, with the public keys that check them.",
  auth: "user",
});
