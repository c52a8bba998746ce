import { createApiKey } from "@/server/api-keys/create";
import { listApiKeys } from "@/server/api-keys/list";
import { revokeApiKey } from "@/server/api-keys/revoke";
import { rotateApiKey } from "@/server/api-keys/rotate";
import { updateApiKey } from "@/server/api-keys/update";
import { mutation, query, router } from "./init";

export const apiKeysRouter = router({
  list: query(listApiKeys),
  create: mutation(createApiKey),
  update: mutation(updateApiKey),
  rotate: mutation(rotateApiKey),
  revoke: mutation(revokeApiKey),
});
