import { route } from "@/server/doors/http/route";
import { createUser, listUsers } from "@/server/identity/users/users";

export const GET = route(listUsers, { summary: "The users that the caller administers, by name", auth: "user" });

export const POST = route(createUser, { summary: "Create a user who can sign in", auth: "user", status: 201 });
