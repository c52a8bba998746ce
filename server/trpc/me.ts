import { changePassword } from "@/server/me/change-password";
import { endSession } from "@/server/me/end-session";
import { getMe } from "@/server/me/get";
import { listSessions } from "@/server/me/list-sessions";
import { beginStepUp, checkProof, stepUp } from "@/server/me/step-up";
import { getTwoFactor } from "@/server/me/two-factor/get";
import { addPasskey, beginPasskey, removePasskey } from "@/server/me/two-factor/passkeys";
import { renewRecoveryCodes } from "@/server/me/two-factor/recovery-codes";
import { beginTotp, confirmTotp, removeTotp } from "@/server/me/two-factor/totp";
import { mutation, query, router } from "./init";

/** The caller's own account. */
export const meRouter = router({
  get: query(getMe),
  changePassword: mutation(changePassword),
  sessions: query(listSessions),
  endSession: mutation(endSession),
  twoFactor: query(getTwoFactor),
  beginTotp: mutation(beginTotp),
  confirmTotp: mutation(confirmTotp),
  removeTotp: mutation(removeTotp),
  renewRecoveryCodes: mutation(renewRecoveryCodes),
  beginPasskey: mutation(beginPasskey),
  addPasskey: mutation(addPasskey),
  removePasskey: mutation(removePasskey),
  beginStepUp: mutation(beginStepUp),
  stepUp: mutation(stepUp),
  checkProof: mutation(checkProof),
});
