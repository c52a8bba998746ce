import { route } from "@/server/http/route";
import { updateInput, user } from "@/server/users/schema";
import { updateUser } from "@/server/users/update";

export const PATCH = route({
  summary: "Change a person's role, department or access",
  auth: "user",
  permission: "users:manage",
  input: updateInput,
  output: user,
  run: updateUser,
});
