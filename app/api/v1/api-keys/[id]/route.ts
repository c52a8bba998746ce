import { route } from "@/server/doors/http/route";
import { getApiKey, revokeApiKey, updateApiKey } from "@/server/identity/api-keys/api-keys";

export const GET = route(getApiKey, { summary: "One API key", auth: "user" });

export const PATCH = route(updateApiKey, { summary: "Change an API key's name, permissions or expiry", auth: "user" });

export const DELETE = route(revokeApiKey, { summary: "Revoke an API key", auth: "user" });
