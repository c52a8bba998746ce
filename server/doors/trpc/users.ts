import { createUser } from "@/server/identity/users/create";
import { inviteUser } from "@/server/identity/users/invite";
import { listUsers } from "@/server/identity/users/list";
import { updateUser } from "@/server/identity/users/update";
import { mutation, query, router } from "./init";

export const usersRouter = router({
  list: query(listUsers),
  create: mutation(createUser),
  update: mutation(updateUser),
  invite: mutation(inviteUser),
});
