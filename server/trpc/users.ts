import { createUser } from "@/server/users/create";
import { inviteUser } from "@/server/users/invite";
import { listUsers } from "@/server/users/list";
import { updateUser } from "@/server/users/update";
import { mutation, query, router } from "./init";

export const usersRouter = router({
  list: query(listUsers),
  create: mutation(createUser),
  update: mutation(updateUser),
  invite: mutation(inviteUser),
});
