import { route } from "@/server/http/route";
import { getOrganization } from "@/server/organizations/list";
import { idInput, organization, updateInput } from "@/server/organizations/schema";
import { updateOrganization } from "@/server/organizations/update";

export const GET = route({
  summary: "One organization",
  auth: "user",
  input: idInput,
  output: organization,
  run: getOrganization,
});

export const PATCH = route({
  summary: "Rename an organization",
  auth: "user",
  permission: "organizations:manage",
  input: updateInput,
  output: organization,
  run: updateOrganization,
});
