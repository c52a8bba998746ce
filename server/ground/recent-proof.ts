import type { Ctx } from "./context";
import { AppError } from "./errors";

/** Time that an identity check (signing in, or confirming) remains valid. */
export const PROOF_MS = 10 * 60 * 1000;

/** browser: scripts that signed a person in are exempt; session: they are not. Programs have no session. */
type AppliesTo = "browser" | "session";

/** True if a person has not confirmed their identity for ten minutes. */
export function lacksRecentProof({ session, now }: Ctx, appliesTo: AppliesTo): boolean {
  if (!session || (appliesTo === "browser" && !session.viaBrowser)) return false;
  return now().getTime() - session.provenAt.getTime() > PROOF_MS;
}

/**
 * Requires a recent identity check in a session, so that an unattended browser or a stolen session cannot do anything
 * hard to undo. @throws AppError step_up_required
 */
export function requireRecentProof(ctx: Ctx, appliesTo: AppliesTo): void {
  if (lacksRecentProof(ctx, appliesTo))
    throw new AppError("step_up_required", "Confirm that it is you: give your password or second factor again.");
}
