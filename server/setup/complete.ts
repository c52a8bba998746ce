import { limit } from "@/server/auth/rate-limit";
import { hashSecret, sameHash } from "@/server/auth/secrets";
import { type Ctx, systemCtx } from "@/server/context";
import { AppError } from "@/server/errors";
import { setupToken } from "./first-admin";
import { foundPartner, isSetupNeeded } from "./found-partner";
import type { CompleteInput, SetupStatus } from "./schema";

/** Whether the first-run page has something to do. */
export async function getSetupStatus(): Promise<SetupStatus> {
  return { needed: await isSetupNeeded() };
}

/**
 * The first-run page's one act: partner, home organization and administrator, for whoever can read the console.
 * @param from address and program of the browser, for the audit rows.
 * @throws AppError forbidden for a wrong token, conflict when it was done already, rate_limited.
 */
export async function completeSetup(
  from: Pick<Ctx, "ip" | "userAgent">,
  { token, ...given }: CompleteInput,
): Promise<SetupStatus> {
  await limit("setup", from.ip);
  const expected = setupToken().hash;
  if (!(await isSetupNeeded())) throw new AppError("conflict", "Trailmark is set up already; sign in instead.");
  if (!expected || !sameHash(expected, hashSecret(token)))
    throw new AppError("forbidden", "That is not the token that the console shows.");
  if (!(await foundPartner(given, { ...systemCtx(), ...from })))
    throw new AppError("conflict", "Trailmark is set up already; sign in instead.");
  setupToken().hash = null;
  return { needed: false };
}
