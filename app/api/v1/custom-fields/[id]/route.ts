import { getDefinition, removeDefinition } from "@/server/custom-fields/definitions";
import { updateDefinition } from "@/server/custom-fields/update";
import { route } from "@/server/doors/http/route";

export const GET = route(getDefinition, { summary: "One custom field definition.", auth: "user" });

export const PATCH = route(updateDefinition, {
  summary: "Change a custom field; its key and type stay.",
  auth: "user",
});

export const DELETE = route(removeDefinition, { summary: "Delete a custom field with all its values.", auth: "user" });
