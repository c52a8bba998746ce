import { acceptInvite } from "@/server/identity/auth/links/accept-invite";
import { forgotPassword } from "@/server/identity/auth/links/forgot-password";
import { resetPassword } from "@/server/identity/auth/links/reset-password";
import { describeChallenge } from "@/server/identity/auth/second-factor/describe";
import { mutation, router } from "./init";

/** For people who are not signed in: choosing a password by a link, and the second step of a sign-in. */
export const authRouter = router({
  acceptInvite: mutation(acceptInvite, "none"),
  forgotPassword: mutation(forgotPassword, "none"),
  describeChallenge: mutation(describeChallenge, "none"),
  resetPassword: mutation(resetPassword, "none"),
});
