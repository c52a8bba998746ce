import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { userPreferences } from "@/db/schema";
import { operation } from "@/server/operation";
import { auditTable, getInput, setInput } from "./schema";

/** What the caller prefers; null where nothing was chosen, or what was no longer fits the key. */
export const getPreference = operation({
  input: getInput,
  output: auditTable.nullable(),
  async run(ctx, { key }) {
    const { actor } = ctx;
    if (actor.type !== "user") return null;
    const t = userPreferences;
    const [row] = await tenant(ctx.scope, (tx) =>
      tx
        .select()
        .from(t)
        .where(and(eq(t.userId, actor.id), eq(t.key, key))),
    );
    const read = setInput.safeParse({ key, value: row?.value });
    return read.success ? read.data.value : null;
  },
});
