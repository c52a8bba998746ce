import { listSystemLibrary } from "@/server/scripts/list-system-library";
import { libraryInput } from "@/server/scripts/schema";
import { procedure, router } from "./init";

export const scriptsRouter = router({
  systemLibrary: procedure()
    .input(libraryInput)
    .query(({ ctx, input }) => listSystemLibrary(ctx.caller, input)),
});
