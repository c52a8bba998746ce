import { createDefinition, listDefinitions } from "@/server/custom-fields/definitions";
import { route } from "@/server/doors/http/route";

export const GET = route(listDefinitions, {
  summary: "Custom field definitions that the caller can access, by name.",
  auth: "user",
});

export const POST = route(createDefinition, {
  summary: "Create a custom field for one organization or (a partner's caller, without orgId) for all organizations.",
  auth: "user",
  status: 201,
});
