import { changePassword } from "@/server/me/change-password";
import { endSession } from "@/server/me/end-session";
import { getMe } from "@/server/me/get";
import { listSessions } from "@/server/me/list-sessions";
import { mutation, query, router } from "./init";

/** The caller's own account. */
export const meRouter = router({
  get: query(getMe),
  changePassword: mutation(changePassword),
  sessions: query(listSessions),
  endSession: mutation(endSession),
});
