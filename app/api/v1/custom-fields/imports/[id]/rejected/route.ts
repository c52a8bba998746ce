import { downloadRejected } from "@/server/custom-fields/import/download";
import { importIdInput } from "@/server/custom-fields/import/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "CSV of the rows of a custom field import that were not applied, in the original columns plus a reason.",
  auth: "user",
  permission: "custom_fields:import",
  input: importIdInput,
  output: "stream",
  produces: ["text/csv"],
  errors: ["not_found", "conflict"],
  run: downloadRejected,
});
