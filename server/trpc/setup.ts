import { dismissChecklist } from "@/server/setup/checklist/dismiss";
import { getChecklist } from "@/server/setup/checklist/get";
import { completeSetup, getSetupStatus } from "@/server/setup/complete";
import { mutation, query, router } from "./init";

/** First run: open to the holder of the token from the console; afterwards what is left to do, for the person who runs it. */
export const setupRouter = router({
  status: query(getSetupStatus, "none"),
  complete: mutation(completeSetup, "none"),
  checklist: query(getChecklist),
  dismissChecklist: mutation(dismissChecklist),
});
