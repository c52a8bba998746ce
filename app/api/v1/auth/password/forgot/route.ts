import { forgotPassword } from "@/server/auth/links/forgot-password";
import { route } from "@/server/http/route";

export const POST = route(forgotPassword, {
  summary: "Send a link to reset the password by e-mail; the response does not reveal whether the address is known",
  auth: "none",
  status: 202,
});
