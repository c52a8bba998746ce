import { dismissChecklist } from "@/server/setup/checklist/dismiss";
import { getChecklist } from "@/server/setup/checklist/get";
import { completeSetup, getSetupStatus } from "@/server/setup/complete";
import { mutation, query, router } from "./init";

/** The first run, open to the holder of the token from the console, and the checklist of what is left to do. */
export const setupRouter = router({
  status: query(getSetupStatus, "none"),
  complete: mutation(completeSetup, "none"),
  checklist: query(getChecklist),
  dismissChecklist: mutation(dismissChecklist),
});
