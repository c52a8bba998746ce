import { route } from "@/server/doors/http/route";
import { resetPassword } from "@/server/identity/auth/links/password-link";

export const POST = route(resetPassword, {
  summary: "Choose a new password with the token of a reset link",
  auth: "none",
});
