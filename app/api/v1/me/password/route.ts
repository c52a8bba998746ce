import { route } from "@/server/doors/http/route";
import { changePassword } from "@/server/identity/me/account";

export const POST = route(changePassword, {
  summary: "Change the caller's own password; ends their other sessions",
  auth: "user",
});
