import { getDefinition } from "@/server/custom-fields/list";
import { removeDefinition } from "@/server/custom-fields/remove";
import { definition, updateInput } from "@/server/custom-fields/schema";
import { updateDefinition } from "@/server/custom-fields/update";
import { route } from "@/server/http/route";
import { idInput } from "@/server/wire";

export const GET = route({
  summary: "One custom field definition.",
  auth: "user",
  permission: "custom_fields:read",
  input: idInput,
  output: definition,
  run: getDefinition,
});

export const PATCH = route({
  summary: "Change a custom field; its key and type stay.",
  auth: "user",
  permission: "custom_fields:manage",
  input: updateInput,
  output: definition,
  run: updateDefinition,
});

export const DELETE = route({
  summary: "Delete a custom field with all its values.",
  auth: "user",
  permission: "custom_fields:manage",
  input: idInput,
  output: "empty",
  run: removeDefinition,
});
