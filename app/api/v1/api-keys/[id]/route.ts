import { revokeApiKey } from "@/server/api-keys/revoke";
import { route } from "@/server/http/route";

export const DELETE = route(revokeApiKey, { summary: "Revoke an API key", auth: "user" });
