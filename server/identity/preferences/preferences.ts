import { and, eq, type SQL } from "drizzle-orm";
import { tenant } from "@/db/client";
import { userPreferences } from "@/db/schema/index";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { type AuditTable, auditTable, getInput, setInput } from "./schema";
import { NO_CHOICE } from "./vocabulary";

const t = userPreferences;
/** Condition for the row of a person's preference. */
const preferenceOf = (userId: string, key: string): SQL | undefined => and(eq(t.userId, userId), eq(t.key, key));

/** Reads a stored value, also from before a member existed; null if it does not fit the key. */
export function readPreference(value: unknown): AuditTable | null {
  const read = auditTable.safeParse(value instanceof Object ? { ...NO_CHOICE, ...value } : null);
  return read.success ? read.data : null;
}

/** The caller's preference; null if none was chosen, or it no longer fits the key. */
export const getPreference = operation({
  input: getInput,
  output: auditTable.nullable(),
  async run(ctx, { key }) {
    const { actor } = ctx;
    if (actor.type !== "user") return null;
    const [row] = await tenant(ctx.scope, (tx) => tx.select().from(t).where(preferenceOf(actor.id, key)));
    return readPreference(row?.value);
  },
});

/**
 * Stores the changed members of a preference, so that two tabs can change different ones; the last change to one wins.
 * Not recorded, because it only affects the caller's own screen.
 * @returns the whole preference.
 * @throws AppError forbidden for programs.
 */
export const setPreference = operation({
  input: setInput,
  output: auditTable,
  async run(ctx, { key, value: change }) {
    const { actor } = ctx;
    if (actor.type !== "user") throw new AppError("forbidden", "Preferences belong to people.");
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
