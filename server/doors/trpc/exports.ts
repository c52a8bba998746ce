import { createExport } from "@/server/exports/create";
import { listExports } from "@/server/exports/list";
import { removeExport } from "@/server/exports/remove";
import { mutation, query, router } from "./init";

/** The caller's own exports in the background. */
export const exportsRouter = router({
  list: query(listExports),
  create: mutation(createExport),
  remove: mutation(removeExport),
});
