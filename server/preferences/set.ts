import { tenant } from "@/db/client";
import { userPreferences } from "@/db/schema";
import { AppError } from "@/server/errors";
import { operation } from "@/server/operation";
import { auditTable, setInput } from "./schema";

/**
 * Keeps what the caller prefers; the last one wins. It is no act on anything but the caller's own screen, so the audit
 * log does not hold it.
 * @throws AppError forbidden for programs.
 */
export const setPreference = operation({
  input: setInput,
  output: auditTable,
  async run(ctx, { key, value }) {
    const { actor } = ctx;
    if (actor.type !== "user") throw new AppError("forbidden", "Preferences belong to people.");
    const t = userPreferences;
    const updatedAt = ctx.now();
    await tenant(ctx.scope, (tx) =>
      tx
        .insert(t)
        .values({ userId: actor.id, key, value, updatedAt })
        .onConflictDoUpdate({ target: [t.userId, t.key], set: { value, updatedAt } }),
    );
    return value;
  },
});
