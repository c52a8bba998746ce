import { getPolicyStatus } from "@/server/retention/get";
import { getOverview } from "@/server/retention/overview";
import { previewPruning } from "@/server/retention/preview";
import { previewInput, setInput } from "@/server/retention/schema";
import { setPolicy } from "@/server/retention/set";
import { onlyIdInput } from "@/server/wire";
import { procedure, router } from "./init";

const reading = procedure("audit:read");

/** Everybody who reads the audit log sees how long it is kept; changing that needs audit:manage. */
export const retentionRouter = router({
  get: reading.input(onlyIdInput).query(({ ctx, input }) => getPolicyStatus(ctx.caller, input)),
  preview: reading.input(previewInput).query(({ ctx, input }) => previewPruning(ctx.caller, input)),
  overview: reading.input(onlyIdInput).query(({ ctx, input }) => getOverview(ctx.caller, input)),
  set: procedure("audit:manage")
    .input(setInput)
    .mutation(({ ctx, input }) => setPolicy(ctx.caller, input)),
});
