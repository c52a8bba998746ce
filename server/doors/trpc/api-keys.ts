import { createApiKey } from "@/server/identity/api-keys/create";
import { listApiKeys } from "@/server/identity/api-keys/list";
import { revokeApiKey } from "@/server/identity/api-keys/revoke";
import { rotateApiKey } from "@/server/identity/api-keys/rotate";
import { updateApiKey } from "@/server/identity/api-keys/update";
import { mutation, query, router } from "./init";

export const apiKeysRouter = router({
  list: query(listApiKeys),
  create: mutation(createApiKey),
  update: mutation(updateApiKey),
  rotate: mutation(rotateApiKey),
  revoke: mutation(revokeApiKey),
});
