import { type AuditEvent, record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Actor, Caller, Ctx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";

export type Person = Extract<Actor, { type: "user" }>;
export type UserCaller = Caller & { actor: Person };

/** Returns the calling person. @throws AppError forbidden for a program, which has no account. */
export function requirePerson({ actor }: Ctx): Person {
  if (actor.type !== "user") throw new AppError("forbidden", "This is for people: an API key has no account.");
  return actor;
}

/** Records an event of the calling person's own account, in their organization or home. */
export function recordOwn(ctx: Ctx, event: Omit<AuditEvent, "resourceType" | "resourceId" | "resourceName" | "orgId">) {
  record(ctx, { ...event, ...resourceOf("user", requirePerson(ctx)) });
}
