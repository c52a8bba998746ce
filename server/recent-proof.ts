import type { Ctx } from "./context";
import { AppError } from "./errors";

/** For so long a proof of who one is (signing in, or confirming it) covers what asks for one. */
export const PROOF_MS = 10 * 60 * 1000;

/**
 * Asks a person in a session to confirm who they are where they have not done so for ten minutes: a browser that was
 * left open must not do what is hard to undo. Programs have no session and are not asked.
 * @param of "browser": scripts that signed a person in go on; "session": they are asked too
 * @throws AppError step_up_required
 */
export function requireRecentProof({ session, now }: Ctx, of: "browser" | "session"): void {
  if (!session || (of === "browser" && !session.viaCookie)) return;
  if (now().getTime() - session.provenAt.getTime() > PROOF_MS)
    throw new AppError("step_up_required", "Confirm that it is you: give your password or second factor again.");
}
