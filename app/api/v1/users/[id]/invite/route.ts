import { route } from "@/server/http/route";
import { inviteUser } from "@/server/users/invite";

export const POST = route(inviteUser, {
  summary: "A link for a person to choose a password by, mailed or answered this once",
  auth: "user",
  body: "none",
});
