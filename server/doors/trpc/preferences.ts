import { getPreference } from "@/server/identity/preferences/get";
import { setPreference } from "@/server/identity/preferences/set";
import { mutation, query, router } from "./init";

/** How the caller likes the product to look; it concerns no other user. */
export const preferencesRouter = router({
  get: query(getPreference),
  set: mutation(setPreference),
});
