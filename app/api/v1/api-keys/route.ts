import { route } from "@/server/doors/http/route";
import { createApiKey, listApiKeys } from "@/server/identity/api-keys/api-keys";

export const GET = route(listApiKeys, {
  summary: "The API keys that the caller administers, newest first",
  auth: "user",
});

export const POST = route(createApiKey, {
  summary: "Create an API key; the key is shown once, in this response",
  auth: "user",
  status: 201,
});
