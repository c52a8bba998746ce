import { resetPassword } from "@/server/auth/links/reset-password";
import { route } from "@/server/http/route";

export const POST = route(resetPassword, {
  summary: "Choose a new password with the token of a reset link",
  auth: "none",
});
