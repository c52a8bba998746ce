import { route } from "@/server/doors/http/route";
import { inviteUser } from "@/server/identity/users/invite";

export const POST = route(inviteUser, {
  summary: "Create a link with which a user chooses a password; it is e-mailed, or returned once",
  auth: "user",
  body: "none",
  idempotent: true,
});
