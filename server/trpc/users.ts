import { createUser } from "@/server/users/create";
import { listUsers } from "@/server/users/list";
import { createInput, listInput, updateInput } from "@/server/users/schema";
import { updateUser } from "@/server/users/update";
import { procedure, router } from "./init";

const managing = procedure("users:manage");

export const usersRouter = router({
  list: managing.input(listInput).query(({ ctx, input }) => listUsers(ctx.caller, input)),
  create: managing.input(createInput).mutation(({ ctx, input }) => createUser(ctx.caller, input)),
  update: managing.input(updateInput).mutation(({ ctx, input }) => updateUser(ctx.caller, input)),
});
