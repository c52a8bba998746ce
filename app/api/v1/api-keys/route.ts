import { createApiKey } from "@/server/api-keys/create";
import { listApiKeys } from "@/server/api-keys/list";
import { apiKeyPage, createdApiKey, createInput, listInput } from "@/server/api-keys/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "The API keys that the caller administers, newest first",
  auth: "user",
  permission: "api_keys:manage",
  input: listInput,
  output: apiKeyPage,
  run: listApiKeys,
});

export const POST = route({
  summary: "Make an API key; the key is shown once, in this answer",
  auth: "user",
  permission: "api_keys:manage",
  input: createInput,
  output: createdApiKey,
  status: 201,
  run: createApiKey,
});
