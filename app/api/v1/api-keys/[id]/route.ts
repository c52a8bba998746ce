import { route } from "@/server/doors/http/route";
import { revokeApiKey, updateApiKey } from "@/server/identity/api-keys/api-keys";

export const PATCH = route(updateApiKey, { summary: "Change an API key's name, permissions or expiry", auth: "user" });

export const DELETE = route(revokeApiKey, { summary: "Revoke an API key", auth: "user" });
