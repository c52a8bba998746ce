import { tenant } from "@/db/client";
import { userPreferences } from "@/db/schema";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { preferenceOf, readPreference } from "./get";
import { auditTable, setInput } from "./schema";
import { NO_CHOICE } from "./vocabulary";

/**
 * Keeps what the caller changed of a preference: two tabs that change different things both count, of one thing the last.
 * It is no act on anything but the caller's own screen, so the audit log does not hold it.
 * @returns the whole preference.
 * @throws AppError forbidden for programs.
 */
export const setPreference = operation({
  input: setInput,
  output: auditTable,
  async run(ctx, { key, value: change }) {
    const { actor } = ctx;
    if (actor.type !== "user") throw new AppError("forbidden", "Preferences belong to people.");
    const t = userPreferences;
    const updatedAt = ctx.now();
    return tenant(ctx.scope, async (tx) => {
      const [row] = await tx.select().from(t).where(preferenceOf(actor.id, key)).for("update");
      const value = { ...(readPreference(row?.value) ?? NO_CHOICE), ...change };
      await tx
        .insert(t)
        .values({ userId: actor.id, key, value, updatedAt })
        .onConflictDoUpdate({ target: [t.userId, t.key], set: { value, updatedAt } });
      return value;
    });
  },
});
