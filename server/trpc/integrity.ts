import { listAlarms } from "../audit/alarm";
import { listCheckpoints, verifyIntegrity } from "../audit/integrity";
import { checkpointsInput, integrityStatusInput, progressInput, verifyInput } from "../audit/integrity-schema";
import { getIntegrityStatus } from "../audit/integrity-status";
import { entryIdInput } from "../audit/schema";
import { getStanding } from "../audit/standing";
import { getVerifyProgress } from "../audit/verify-progress";
import { procedure, router } from "./init";

const reading = procedure("audit:read");

/** Whether the chain holds: what is known, asking anew, the signed heads, and the alarms for the banner. */
export const integrityRouter = router({
  status: reading.input(integrityStatusInput).query(({ ctx, input }) => getIntegrityStatus(ctx.caller, input)),
  verify: reading.input(verifyInput).mutation(({ ctx, input }) => verifyIntegrity(ctx.caller, input)),
  progress: reading.input(progressInput).query(({ ctx, input }) => getVerifyProgress(ctx.caller, input)),
  checkpoints: reading.input(checkpointsInput).query(({ ctx, input }) => listCheckpoints(ctx.caller, input)),
  standing: reading.input(entryIdInput).query(({ ctx, input }) => getStanding(ctx.caller, input)),
  alarms: reading.query(({ ctx }) => listAlarms(ctx.caller.scope)),
});
