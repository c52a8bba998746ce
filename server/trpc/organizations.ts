import { createOrganization } from "@/server/organizations/create";
import { getOrganization, listOrganizations } from "@/server/organizations/list";
import { updateOrganization } from "@/server/organizations/update";
import { mutation, query, router } from "./init";

/** Everybody signed in sees the organizations within reach; changing them needs the permission. */
export const organizationsRouter = router({
  list: query(listOrganizations),
  get: query(getOrganization),
  create: mutation(createOrganization),
  update: mutation(updateOrganization),
});
