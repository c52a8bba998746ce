import { downloadOutcomes } from "@/server/custom-fields/import/download";
import { route } from "@/server/doors/http/route";

export const GET = route(downloadOutcomes, {
  summary: "CSV of every row of a custom field import with its outcome.",
  auth: "user",
  produces: ["text/csv"],
  errors: ["not_found", "conflict"],
});
