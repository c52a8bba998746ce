import { route } from "@/server/doors/http/route";
import { forgotPassword } from "@/server/identity/auth/links/password-link";

export const POST = route(forgotPassword, {
  summary: "Send a link to reset the password by e-mail; the response does not reveal whether the address is known",
  auth: "none",
  status: 202,
});
