import { route } from "@/server/doors/http/route";
import { getPartnerPolicy, setPartnerPolicy } from "@/server/organizations/organizations";

export const GET = route(getPartnerPolicy, {
  summary: "What applies to every organization of the caller's partner",
  auth: "user",
});

export const PATCH = route(setPartnerPolicy, {
  summary: "Require a second factor of the partner's staff and of the users of every organization",
  auth: "user",
});
