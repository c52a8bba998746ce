import { route } from "@/server/http/route";
import { updateUser } from "@/server/users/update";

export const PATCH = route(updateUser, { summary: "Change a user's role, department or access", auth: "user" });
