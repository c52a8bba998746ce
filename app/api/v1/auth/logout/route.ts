import { logOut } from "@/server/auth/log-out";
import { route } from "@/server/http/route";

export const POST = route(logOut, {
  summary: "End the sign-in of a refresh token, or all of the caller's without one",
  auth: "user",
  body: "optional",
});
