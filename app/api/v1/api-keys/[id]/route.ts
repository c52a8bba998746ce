import { revokeApiKey } from "@/server/api-keys/revoke";
import { route } from "@/server/http/route";
import { idInput } from "@/server/organizations/schema";

export const DELETE = route({
  summary: "Revoke an API key",
  auth: "user",
  permission: "api_keys:manage",
  input: idInput,
  output: "empty",
  run: revokeApiKey,
});
