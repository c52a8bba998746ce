import { createSavedView } from "@/server/saved-views/create";
import { listSavedViews } from "@/server/saved-views/list";
import { removeSavedView } from "@/server/saved-views/remove";
import { updateSavedView } from "@/server/saved-views/update";
import { mutation, query, router } from "./init";

/** Who reads the audit log keeps views of it; who may share or tend them, the verbs decide. */
export const savedViewsRouter = router({
  list: query(listSavedViews),
  create: mutation(createSavedView),
  update: mutation(updateSavedView),
  remove: mutation(removeSavedView),
});
