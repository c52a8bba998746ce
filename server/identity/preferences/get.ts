import { and, eq, type SQL } from "drizzle-orm";
import { tenant } from "@/db/client";
import { userPreferences } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { type AuditTable, auditTable, getInput } from "./schema";
import { NO_CHOICE } from "./vocabulary";

const t = userPreferences;
/** The row of a person's preference. */
export const preferenceOf = (userId: string, key: string): SQL | undefined => and(eq(t.userId, userId), eq(t.key, key));

/** What is stored, also from before one of its members existed; null where it does not fit the key. */
export function readPreference(value: unknown): AuditTable | null {
  const read = auditTable.safeParse(value instanceof Object ? { ...NO_CHOICE, ...value } : null);
  return read.success ? read.data : null;
}

/** What the caller prefers; null where nothing was chosen, or what was no longer fits the key. */
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
