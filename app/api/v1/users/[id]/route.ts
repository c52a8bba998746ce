import { route } from "@/server/http/route";
import { updateUser } from "@/server/users/update";

export const PATCH = route(updateUser, { summary: "Change a person's role, department or access", auth: "user" });
