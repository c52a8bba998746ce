import { createOrganization } from "@/server/organizations/create";
import { getOrganization, listOrganizations } from "@/server/organizations/list";
import { countChains } from "@/server/organizations/overview/chains";
import { listOverview } from "@/server/organizations/overview/list";
import { getPartnerPolicy, setPartnerPolicy } from "@/server/organizations/partner-policy";
import { updateOrganization } from "@/server/organizations/update";
import { mutation, query, router } from "./init";

/** Every signed-in user sees the organizations within reach; changing them needs the permission. */
export const organizationsRouter = router({
  partnerPolicy: query(getPartnerPolicy),
  setPartnerPolicy: mutation(setPartnerPolicy),
  list: query(listOrganizations),
  get: query(getOrganization),
  overview: query(listOverview),
  chains: query(countChains),
  create: mutation(createOrganization),
  update: mutation(updateOrganization),
});
