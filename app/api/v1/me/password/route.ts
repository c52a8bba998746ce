import { route } from "@/server/http/route";
import { changePassword } from "@/server/me/change-password";

export const POST = route(changePassword, {
  summary: "Change the caller's own password; ends their other sessions",
  auth: "user",
});
