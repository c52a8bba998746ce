import { listAlarms } from "@/server/audit/integrity/alarm";
import { getEntryStatus } from "@/server/audit/integrity/entry-status";
import { listCheckpoints, verifyIntegrity } from "@/server/audit/integrity/integrity";
import { checkpointsInput, integrityStatusInput, progressInput, verifyInput } from "@/server/audit/integrity/schema";
import { getIntegrityStatus } from "@/server/audit/integrity/status";
import { getVerifyProgress } from "@/server/audit/integrity/verify-progress";
import { idInput } from "@/server/wire";
import { procedure, router } from "./init";

const reading = procedure("audit:read");

/** Whether the chain holds: what is known, asking anew, the signed heads, and the alarms for the banner. */
export const integrityRouter = router({
  status: reading.input(integrityStatusInput).query(({ ctx, input }) => getIntegrityStatus(ctx.caller, input)),
  verify: reading.input(verifyInput).mutation(({ ctx, input }) => verifyIntegrity(ctx.caller, input)),
  progress: reading.input(progressInput).query(({ ctx, input }) => getVerifyProgress(ctx.caller, input)),
  checkpoints: reading.input(checkpointsInput).query(({ ctx, input }) => listCheckpoints(ctx.caller, input)),
  entryStatus: reading.input(idInput).query(({ ctx, input }) => getEntryStatus(ctx.caller, input)),
  alarms: reading.query(({ ctx }) => listAlarms(ctx.caller.scope)),
});
