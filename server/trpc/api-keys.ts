import { createApiKey } from "@/server/api-keys/create";
import { listApiKeys } from "@/server/api-keys/list";
import { revokeApiKey } from "@/server/api-keys/revoke";
import { mutation, query, router } from "./init";

export const apiKeysRouter = router({
  list: query(listApiKeys),
  create: mutation(createApiKey),
  revoke: mutation(revokeApiKey),
});
