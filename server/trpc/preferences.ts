import { getPreference } from "@/server/preferences/get";
import { setPreference } from "@/server/preferences/set";
import { mutation, query, router } from "./init";

/** How the caller likes the product to look; it concerns no other user. */
export const preferencesRouter = router({
  get: query(getPreference),
  set: mutation(setPreference),
});
