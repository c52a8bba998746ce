import { createDefinition } from "@/server/custom-fields/create";
import { listDefinitions } from "@/server/custom-fields/list";
import { createInput, definition, definitionList, listInput } from "@/server/custom-fields/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Custom field definitions within the caller's reach, by name.",
  auth: "user",
  permission: "custom_fields:read",
  input: listInput,
  output: definitionList,
  run: listDefinitions,
});

export const POST = route({
  summary: "Make a custom field, of one organization or (a partner's caller, without orgId) of All organizations.",
  auth: "user",
  permission: "custom_fields:manage",
  input: createInput,
  output: definition,
  status: 201,
  run: createDefinition,
});
