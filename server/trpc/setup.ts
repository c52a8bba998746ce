import { completeSetup, getSetupStatus } from "@/server/setup/complete";
import { mutation, query, router } from "./init";

/** First run: open to whoever has the token from the console. */
export const setupRouter = router({
  status: query(getSetupStatus, "none"),
  complete: mutation(completeSetup, "none"),
});
