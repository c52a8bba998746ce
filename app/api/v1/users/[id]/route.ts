import { route } from "@/server/doors/http/route";
import { updateUser } from "@/server/identity/users/update";

export const PATCH = route(updateUser, { summary: "Change a user's role, department or access", auth: "user" });
