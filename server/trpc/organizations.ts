import { createOrganization } from "@/server/organizations/create";
import { getOrganization, listOrganizations } from "@/server/organizations/list";
import { createInput, idInput, listInput, updateInput } from "@/server/organizations/schema";
import { updateOrganization } from "@/server/organizations/update";
import { procedure, router } from "./init";

const managing = procedure("organizations:manage");

/** Everybody signed in sees the organizations within reach; changing them needs the permission. */
export const organizationsRouter = router({
  list: procedure()
    .input(listInput)
    .query(({ ctx, input }) => listOrganizations(ctx.caller, input)),
  get: procedure()
    .input(idInput)
    .query(({ ctx, input }) => getOrganization(ctx.caller, input)),
  create: managing.input(createInput).mutation(({ ctx, input }) => createOrganization(ctx.caller, input)),
  update: managing.input(updateInput).mutation(({ ctx, input }) => updateOrganization(ctx.caller, input)),
});
