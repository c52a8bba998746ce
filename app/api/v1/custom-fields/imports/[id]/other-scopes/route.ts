import { downloadOutOfScope } from "@/server/custom-fields/import/download";
import { route } from "@/server/doors/http/route";

export const GET = route(downloadOutOfScope, {
  summary: "CSV of an import's location and client fields, which have to be created by hand.",
  auth: "user",
  produces: ["text/csv"],
  errors: ["not_found", "conflict"],
});
