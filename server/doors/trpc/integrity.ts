import { listAlarms } from "@/server/evidence/integrity/alarm";
import { getEntryStatus } from "@/server/evidence/integrity/entry-status";
import { listCheckpoints, verifyIntegrity } from "@/server/evidence/integrity/integrity";
import { getIntegrityStatus } from "@/server/evidence/integrity/status";
import { getVerifyProgress } from "@/server/evidence/integrity/verify-progress";
import { mutation, query, router } from "./init";

/** The state of the chain, a verification of it, the signed heads, and the alarms for the banner. */
export const integrityRouter = router({
  status: query(getIntegrityStatus),
  verify: mutation(verifyIntegrity),
  progress: query(getVerifyProgress),
  checkpoints: query(listCheckpoints),
  entryStatus: query(getEntryStatus),
  alarms: query(listAlarms),
});
