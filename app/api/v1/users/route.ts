import { route } from "@/server/http/route";
import { createUser } from "@/server/users/create";
import { listUsers } from "@/server/users/list";
import { createInput, listInput, user, userPage } from "@/server/users/schema";

export const GET = route({
  summary: "The people whom the caller administers, by name",
  auth: "user",
  permission: "users:manage",
  input: listInput,
  output: userPage,
  run: listUsers,
});

export const POST = route({
  summary: "Make a person who can sign in",
  auth: "user",
  permission: "users:manage",
  input: createInput,
  output: user,
  status: 201,
  run: createUser,
});
