import { listCheckpoints } from "@/server/audit/integrity/integrity";
import { checkpointsInput, checkpointsOutput } from "@/server/audit/integrity/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "The signed chain heads of one organization, newest first, with the public keys that check them.",
  auth: "user",
  permission: "audit:read",
  input: checkpointsInput,
  output: checkpointsOutput,
  run: listCheckpoints,
});
