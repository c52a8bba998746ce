import { route } from "@/server/doors/http/route";
import { getOrganization, updateOrganization } from "@/server/organizations/organizations";

export const GET = route(getOrganization, { summary: "One organization", auth: "user" });

export const PATCH = route(updateOrganization, {
  summary: "Change an organization's name, time zone or two-factor rule",
  auth: "user",
});
