import { systemCtx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { hashSecret, sameHash } from "@/server/ground/secrets";
import { noInput } from "@/server/ground/wire";
import { setupToken } from "./first-admin";
import { foundPartner, isSetupNeeded } from "./found-partner";
import { completeInput, setupStatus } from "./schema";

/** Whether the first-run page has something to do. */
export const getSetupStatus = operation({
  input: noInput,
  output: setupStatus,
  async run() {
    return { needed: await isSetupNeeded() };
  },
});

/**
 * The first-run page's one act: partner, home organization and administrator, for the person who can read the console.
 * @throws AppError forbidden for a wrong token, conflict when it was done already, rate_limited.
 */
export const completeSetup = operation({
  input: completeInput,
  output: setupStatus,
  async run(ctx, { token, ...given }) {
    await limit("setup", ctx.ip);
    if (!(await isSetupNeeded())) throw new AppError("conflict", "Trailmark is set up already; sign in instead.");
    if (!sameHash(hashSecret(await setupToken()), hashSecret(token)))
      throw new AppError("forbidden", "That is not the token that the console shows.");
    if (!(await foundPartner(given, { ...systemCtx(), ip: ctx.ip, userAgent: ctx.userAgent })))
      throw new AppError("conflict", "Trailmark is set up already; sign in instead.");
    return { needed: false };
  },
});
