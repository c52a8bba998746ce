import { logOut } from "@/server/auth/log-out";
import { logoutInput } from "@/server/auth/schema";
import { route } from "@/server/http/route";

export const POST = route({
  summary: "End the sign-in of a refresh token, or all of the caller's without one",
  auth: "user",
  input: logoutInput,
  output: "empty",
  body: "optional",
  run: logOut,
});
