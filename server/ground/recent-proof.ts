import type { Ctx } from "./context";
import { AppError } from "./errors";

/** For so long a proof of who one is (signing in, or confirming it) covers what asks for one. */
export const PROOF_MS = 10 * 60 * 1000;

/** browser: scripts that signed a person in are not asked; session: they are. Programs have no session. */
type AppliesTo = "browser" | "session";

/** Whether a person has to confirm who they are first, because they have not done so for ten minutes. */
export function lacksRecentProof({ session, now }: Ctx, appliesTo: AppliesTo): boolean {
  if (!session || (appliesTo === "browser" && !session.viaBrowser)) return false;
  return now().getTime() - session.provenAt.getTime() > PROOF_MS;
}

/**
 * Asks a person in a session to confirm who they are where they have not done so for ten minutes: a browser that was
 * left open, or a session that was stolen from one, must not do what is hard to undo.
 * @throws AppError step_up_required
 */
export function requireRecentProof(ctx: Ctx, appliesTo: AppliesTo): void {
  if (lacksRecentProof(ctx, appliesTo))
    throw new AppError("step_up_required", "Confirm that it is you: give your password or second factor again.");
}
