import { logOut } from "@/server/auth/log-out";
import { route } from "@/server/http/route";

export const POST = route(logOut, {
  summary: "End the session of a refresh token or, without one, all of the caller's sessions",
  auth: "user",
  body: "optional",
});
