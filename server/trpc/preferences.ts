import { getPreference } from "@/server/preferences/get";
import { setPreference } from "@/server/preferences/set";
import { mutation, query, router } from "./init";

/** How the caller likes the product to look; of no concern to other users. */
export const preferencesRouter = router({
  get: query(getPreference),
  set: mutation(setPreference),
});
