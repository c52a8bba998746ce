import { route } from "@/server/doors/http/route";
import { createOrganization } from "@/server/organizations/create";
import { listOrganizations } from "@/server/organizations/list";

export const GET = route(listOrganizations, {
  summary: "The organizations that the caller can access, by name",
  auth: "user",
});

export const POST = route(createOrganization, {
  summary: "Create an organization below the caller's partner",
  auth: "user",
  status: 201,
});
