import { createSavedView } from "@/server/saved-views/create";
import { listSavedViews } from "@/server/saved-views/list";
import { removeSavedView } from "@/server/saved-views/remove";
import { createInput, listInput, updateInput, viewIdInput } from "@/server/saved-views/schema";
import { updateSavedView } from "@/server/saved-views/update";
import { procedure, router } from "./init";

/** Who reads the audit log keeps views of it; who may share or tend them, the verbs decide. */
export const savedViewsRouter = router({
  list: procedure("audit:read")
    .input(listInput)
    .query(({ ctx }) => listSavedViews(ctx.caller)),
  create: procedure("audit:read")
    .input(createInput)
    .mutation(({ ctx, input }) => createSavedView(ctx.caller, input)),
  update: procedure("audit:read")
    .input(updateInput)
    .mutation(({ ctx, input }) => updateSavedView(ctx.caller, input)),
  remove: procedure("audit:read")
    .input(viewIdInput)
    .mutation(({ ctx, input }) => removeSavedView(ctx.caller, input)),
});
