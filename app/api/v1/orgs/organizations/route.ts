import { route } from "@/server/http/route";
import { createOrganization } from "@/server/organizations/create";
import { listOrganizations } from "@/server/organizations/list";
import { createInput, listInput, organization, organizationPage } from "@/server/organizations/schema";

export const GET = route({
  summary: "The organizations within the caller's reach, by name",
  auth: "user",
  input: listInput,
  output: organizationPage,
  run: listOrganizations,
});

export const POST = route({
  summary: "Make an organization below the caller's partner",
  auth: "user",
  permission: "organizations:manage",
  input: createInput,
  output: organization,
  status: 201,
  run: createOrganization,
});
