import { tenant } from "@/db/client";
import { userPreferences } from "@/db/schema";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { dismissInput } from "./schema";

/** The name of the choice among a person's preferences. */
export const CHECKLIST_KEY = "setup.checklist";

/**
 * Takes the checklist off the caller's pages, or brings it back. Like any preference it is not recorded.
 * @throws AppError forbidden for programs.
 */
export const dismissChecklist = operation({
  input: dismissInput,
  output: dismissInput,
  async run(ctx, value) {
    const { actor } = ctx;
    if (actor.type !== "user") throw new AppError("forbidden", "Preferences belong to people.");
    const updatedAt = ctx.now();
    await tenant(ctx.scope, (tx) =>
      tx
        .insert(userPreferences)
        .values({ userId: actor.id, key: CHECKLIST_KEY, value, updatedAt })
        .onConflictDoUpdate({
          target: [userPreferences.userId, userPreferences.key],
          set: { value, updatedAt },
        }),
    );
    return value;
  },
});
