import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { notifications, organizations } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { listInput, notificationPage, summary, summaryInput } from "./schema";
import { toNotification } from "./to-notification";
import { changedAt, isReadBy, wantedBy } from "./wanted";

const t = notifications;

/** What is shown as one is of a kind, begun or over, in one evaluation. */
const isOpen = sql`${t.resolvedAt} IS NULL`;

/** What the caller is to know, last changed first. */
export const listNotifications = operation({
  permission: "audit:read",
  input: listInput,
  output: notificationPage,
  run(ctx, input) {
    return tenant(ctx.scope, async (tx) => {
      const where = and(
        await wantedBy(tx, ctx),
        input.kind ? eq(t.kind, input.kind) : undefined,
        input.status && (input.status === "open" ? isNull(t.resolvedAt) : isNotNull(t.resolvedAt)),
      );
      const query = tx
        .select({ row: t, organization: organizations.name, isRead: isReadBy(ctx) })
        .from(t)
        .innerJoin(organizations, eq(organizations.id, t.orgId))
        .orderBy(desc(changedAt), t.kind, isOpen, sql`lower(${organizations.name})`, t.id)
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      const data = rows.flatMap(
        ({ row, organization, isRead }) => toNotification({ ...row, organization }, isRead) ?? [],
      );
      return { data, pagination };
    });
  },
});

/** The numbers at the bell icon. The same condition in a hundred organizations, found at once, counts once. */
export const getSummary = operation({
  permission: "audit:read",
  input: summaryInput,
  output: summary,
  run(ctx) {
    return tenant(ctx.scope, async (tx) => {
      const batch = sql`(${t.kind}, ${isOpen}, coalesce(${t.resolvedIn}, ${t.raisedIn}))`;
      const [row] = await tx
        .select({
          unread: sql<number>`(count(DISTINCT ${batch}) FILTER (WHERE NOT ${isReadBy(ctx)}))::int`,
          open: sql<number>`(count(*) FILTER (WHERE ${isOpen}))::int`,
        })
        .from(t)
        .where(await wantedBy(tx, ctx));
      return { unread: row?.unread ?? 0, open: row?.open ?? 0 };
    });
  },
});
