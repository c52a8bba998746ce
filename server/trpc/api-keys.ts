import { createApiKey } from "@/server/api-keys/create";
import { listApiKeys } from "@/server/api-keys/list";
import { revokeApiKey } from "@/server/api-keys/revoke";
import { createInput, listInput } from "@/server/api-keys/schema";
import { idInput } from "@/server/organizations/schema";
import { procedure, router } from "./init";

const managing = procedure("api_keys:manage");

export const apiKeysRouter = router({
  list: managing.input(listInput).query(({ ctx, input }) => listApiKeys(ctx.caller, input)),
  create: managing.input(createInput).mutation(({ ctx, input }) => createApiKey(ctx.caller, input)),
  revoke: managing.input(idInput).mutation(({ ctx, input }) => revokeApiKey(ctx.caller, input)),
});
