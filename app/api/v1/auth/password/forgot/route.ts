import { forgotPassword } from "@/server/auth/links/forgot-password";
import { route } from "@/server/http/route";

export const POST = route(forgotPassword, {
  summary: "Mail a link to reset the password; the answer does not tell whether the address is known",
  auth: "none",
  status: 202,
});
