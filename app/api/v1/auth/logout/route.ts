import { route } from "@/server/doors/http/route";
import { logOut } from "@/server/identity/auth/sessions";

export const POST = route(logOut, {
  summary: "End the session of a refresh token or, without one, all of the caller's sessions",
  auth: "user",
  body: "optional",
});
