import { createSavedView } from "@/server/saved-views/create";
import { listSavedViews } from "@/server/saved-views/list";
import { removeSavedView } from "@/server/saved-views/remove";
import { updateSavedView } from "@/server/saved-views/update";
import { mutation, query, router } from "./init";

/** Every reader of the audit log may keep views of it; the verbs decide who may share or change them. */
export const savedViewsRouter = router({
  list: query(listSavedViews),
  create: mutation(createSavedView),
  update: mutation(updateSavedView),
  remove: mutation(removeSavedView),
});
