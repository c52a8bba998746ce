import { changePassword } from "@/server/identity/me/change-password";
import { endSession } from "@/server/identity/me/end-session";
import { getMe } from "@/server/identity/me/get";
import { listSessions } from "@/server/identity/me/list-sessions";
import { beginStepUp, checkProof, stepUp } from "@/server/identity/me/step-up";
import { getTwoFactor } from "@/server/identity/me/two-factor/get";
import { addPasskey, beginPasskey, removePasskey } from "@/server/identity/me/two-factor/passkeys";
import { renewRecoveryCodes } from "@/server/identity/me/two-factor/recovery-codes";
import { beginTotp, confirmTotp, removeTotp } from "@/server/identity/me/two-factor/totp";
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
