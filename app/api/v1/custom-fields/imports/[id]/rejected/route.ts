import { downloadRejected } from "@/server/custom-fields/import/download";
import { route } from "@/server/doors/http/route";

export const GET = route(downloadRejected, {
  summary: "CSV of the rows of a custom field import that were not applied, in the original columns plus a reason.",
  auth: "user",
  produces: ["text/csv"],
  errors: ["not_found", "conflict"],
});
