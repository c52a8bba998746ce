import { completeSetup, getSetupStatus } from "@/server/setup/complete";
import { completeInput } from "@/server/setup/schema";
import { publicProcedure, router } from "./init";

/** First run: open to whoever has the token from the console. */
export const setupRouter = router({
  status: publicProcedure.query(() => getSetupStatus()),
  complete: publicProcedure
    .input(completeInput)
    .mutation(({ ctx, input }) => completeSetup(ctx.from ?? { ip: null, userAgent: null }, input)),
});
