import { route } from "@/server/http/route";
import { getPartnerPolicy, setPartnerPolicy } from "@/server/organizations/partner-policy";

export const GET = route(getPartnerPolicy, {
  summary: "What holds for every organization of the caller's partner",
  auth: "user",
});

export const PATCH = route(setPartnerPolicy, {
  summary: "Require a second factor of everybody: the partner's staff and the people of every organization",
  auth: "user",
});
