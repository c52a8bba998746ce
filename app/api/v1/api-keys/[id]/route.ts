import { revokeApiKey } from "@/server/api-keys/revoke";
import { updateApiKey } from "@/server/api-keys/update";
import { route } from "@/server/http/route";

export const PATCH = route(updateApiKey, { summary: "Change an API key's name, permissions or expiry", auth: "user" });

export const DELETE = route(revokeApiKey, { summary: "Revoke an API key", auth: "user" });
