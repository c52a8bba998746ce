import { asc, desc, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { auditSavedViews } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { noInput } from "@/server/ground/wire";
import { isOwn, mayShare, toSavedView, visible } from "./saved-view";
import { MAX_LISTED_VIEWS, savedViewList } from "./schema";

/** The caller's own views, then the shared ones of its reach, each by name. */
export const listSavedViews = operation({
  permission: "audit:read",
  input: noInput,
  output: savedViewList,
  async run(ctx) {
    const t = auditSavedViews;
    const rows = await tenant(ctx.scope, async (tx) =>
      tx
        .select()
        .from(t)
        .where(await visible(tx, ctx))
        .orderBy(desc(isOwn(ctx.actor)), asc(sql`lower(${t.name})`), asc(t.id))
        .limit(MAX_LISTED_VIEWS),
    );
    return { data: rows.map((row) => toSavedView(row, ctx)), mayShare: mayShare(ctx.actor) };
  },
});
