import { downloadOutcomes } from "@/server/custom-fields/import/download";
import { importIdInput } from "@/server/custom-fields/import/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "CSV of every row of a custom field import with its outcome.",
  auth: "user",
  permission: "custom_fields:import",
  input: importIdInput,
  output: "stream",
  produces: ["text/csv"],
  errors: ["not_found", "conflict"],
  run: downloadOutcomes,
});
