import type { Actor, Caller, Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";

export type Person = Extract<Actor, { type: "user" }>;
export type UserCaller = Caller & { actor: Person };

/** Returns the calling person. @throws AppError forbidden for a program, which has no account. */
export function requirePerson({ actor }: Ctx): Person {
  if (actor.type !== "user") throw new AppError("forbidden", "This is for people: an API key has no account.");
  return actor;
}
