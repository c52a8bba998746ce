import { listCheckpoints } from "@/server/audit/integrity/integrity";
import { route } from "@/server/http/route";

export const GET = route(listCheckpoints, {
  summary: "The signed checkpoints of one organization, newest first, with the public keys that check them.",
  auth: "user",
});
