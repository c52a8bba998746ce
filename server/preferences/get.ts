import { and, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { userPreferences } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { type AuditTable, type GetInput, setInput } from "./schema";

/** What the caller prefers; null where nothing was chosen, or what was no longer fits the key. */
export async function getPreference(ctx: Ctx, { key }: GetInput): Promise<AuditTable | null> {
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
}
