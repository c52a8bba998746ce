import { getPreference } from "@/server/preferences/get";
import { getInput, setInput } from "@/server/preferences/schema";
import { setPreference } from "@/server/preferences/set";
import { procedure, router } from "./init";

/** How the caller likes the product to look; of no concern to anybody else. */
export const preferencesRouter = router({
  get: procedure()
    .input(getInput)
    .query(({ ctx, input }) => getPreference(ctx.caller, input)),
  set: procedure()
    .input(setInput)
    .mutation(({ ctx, input }) => setPreference(ctx.caller, input)),
});
