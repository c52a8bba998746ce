import { listAlarms } from "@/server/audit/integrity/alarm";
import { getEntryStatus } from "@/server/audit/integrity/entry-status";
import { listCheckpoints, verifyIntegrity } from "@/server/audit/integrity/integrity";
import { getIntegrityStatus } from "@/server/audit/integrity/status";
import { getVerifyProgress } from "@/server/audit/integrity/verify-progress";
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
