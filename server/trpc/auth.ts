import { acceptInvite } from "@/server/auth/links/accept-invite";
import { forgotPassword } from "@/server/auth/links/forgot-password";
import { resetPassword } from "@/server/auth/links/reset-password";
import { mutation, router } from "./init";

/** For people who are not signed in: choosing a password by a link. */
export const authRouter = router({
  acceptInvite: mutation(acceptInvite, "none"),
  forgotPassword: mutation(forgotPassword, "none"),
  resetPassword: mutation(resetPassword, "none"),
});
