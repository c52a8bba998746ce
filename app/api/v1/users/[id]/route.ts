import { route } from "@/server/doors/http/route";
import { updateUser } from "@/server/identity/users/update";
import { getUser } from "@/server/identity/users/users";

export const GET = route(getUser, { summary: "One person whom you administer", auth: "user" });

export const PATCH = route(updateUser, { summary: "Change a user's role, department or access", auth: "user" });
