import { route } from "@/server/doors/http/route";
import { createOrganization, listOrganizations } from "@/server/organizations/organizations";

export const GET = route(listOrganizations, {
  summary: "The organizations that the caller can access, by name",
  auth: "user",
});

export const POST = route(createOrganization, {
  summary: "Create an organization below the caller's partner",
  auth: "user",
  status: 201,
});
