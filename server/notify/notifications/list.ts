import { and, desc, eq, getTableColumns, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { notificationReads, notificationSettings, notifications, organizations } from "@/db/schema/index";
import type { Ctx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { operation } from "@/server/ground/operation";
import { answerOf } from "@/server/ground/records";
import { inScope } from "@/server/ground/scope";
import { inOneLine } from "@/server/ground/text";
import { requirePerson } from "@/server/identity/auth/person";
import { DEFAULT_PRODUCT_KINDS, isKind, KINDS } from "@/server/notify/vocabulary";
import { detail as detailSchema } from "./kinds/definition";
import { DEFINITIONS } from "./kinds/index";
import {
  listInput,
  type Notification,
  notification,
  notificationPage,
  readInput,
  summary,
  summaryInput,
} from "./schema";

const t = notifications;

/** A notification with its organization's name. */
export const columns = { ...getTableColumns(t), organization: organizations.name };
export type NotificationRow = typeof t.$inferSelect & { organization: string };

const detailOf = (value: unknown) => detailSchema.safeParse(value).data ?? {};

/** A row for its reader; null for a kind of another server version. States only what was observed. */
export function toNotification(row: NotificationRow, isRead: boolean): Notification | null {
  const { kind, organization, raisedAt, resolvedAt } = row;
  if (!isKind(kind) || !raisedAt) return null;
  const { raised, resolved, page } = DEFINITIONS[kind];
  return answerOf(notification, {
    ...{ ...row, kind, raisedAt, isRead },
    label: KINDS[kind].label,
    status: resolvedAt ? ("resolved" as const) : ("open" as const),
    sentence: inOneLine(raised(organization, detailOf(row.detail))),
    resolution: resolvedAt ? inOneLine(resolved(organization, detailOf(row.resolution))) : null,
    batch: row.resolvedIn ?? row.raisedIn ?? 0,
    link: `${env().NEXTAUTH_URL}${page}${row.orgId}`,
  });
}

/** Time of a notification's latest change. */
const changedAt = sql`coalesce(${t.resolvedAt}, ${t.raisedAt})`;

/** Organizations that the caller chose to see notifications of; programs see all. */
async function wantedBy(tx: Tx, { actor, scope }: Ctx): Promise<SQL | undefined> {
  const raised = and(inScope(t.orgId, scope), isNotNull(t.raisedAt));
  if (actor.type !== "user") return raised;
  const [chosen] = await tx.select().from(notificationSettings).where(eq(notificationSettings.userId, actor.id));
  const kinds = chosen?.productKinds ?? DEFAULT_PRODUCT_KINDS;
  const known = kinds.filter(isKind);
  return and(
    raised,
    known.length > 0 ? inArray(t.kind, known) : sql`false`,
    chosen?.orgIds ? (chosen.orgIds.length > 0 ? inArray(t.orgId, chosen.orgIds) : sql`false`) : undefined,
  );
}

/** True if the caller has read a notification's latest change. */
const isReadBy = ({ actor }: Ctx): SQL<boolean> =>
  actor.type === "user"
    ? sql<boolean>`EXISTS (SELECT FROM ${notificationReads} r
        WHERE r.notification_id = ${t.id} AND r.user_id = ${actor.id} AND r.read_at >= ${changedAt})`
    : sql<boolean>`false`;

/**
 * Marks notifications as read by the caller; ids that the caller does not see are ignored. Not recorded, because it
 * only affects the caller's own list.
 * @throws AppError forbidden for programs
 */
export const markRead = operation({
  permission: "audit:read",
  input: readInput,
  output: "empty",
  async run(ctx, { ids }) {
    const person = requirePerson(ctx);
    if (ids?.length === 0) return;
    await tenant(ctx.scope, async (tx) => {
      // A slow clock must not leave notifications unread.
      const readAt = sql<Date>`greatest(${ctx.now().toISOString()}::timestamptz, ${changedAt})`;
      const named = ids ? inArray(notifications.id, ids) : undefined;
      const unread = tx
        .select({
          userId: sql<string>`${person.id}::uuid`.as("user_id"),
          notificationId: notifications.id,
          readAt: readAt.as("read_at"),
        })
        .from(notifications)
        .where(and(await wantedBy(tx, ctx), named, sql`NOT ${isReadBy(ctx)}`));
      await tx
        .insert(notificationReads)
        .select(unread)
        .onConflictDoUpdate({
          target: [notificationReads.userId, notificationReads.notificationId],
          set: { readAt: sql`excluded.read_at` },
        });
    });
  },
});

/** Changes shown together: one kind, started or ended, in one evaluation. */
const isOpen = sql`${t.resolvedAt} IS NULL`;

/** The caller's notifications, latest change first. */
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
        .select({ ...columns, isRead: isReadBy(ctx) })
        .from(t)
        .innerJoin(organizations, eq(organizations.id, t.orgId))
        .orderBy(desc(changedAt), t.kind, isOpen, sql`lower(${organizations.name})`, t.id)
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      const data = rows.flatMap(({ isRead, ...row }) => toNotification(row, isRead) ?? []);
      return { data, pagination };
    });
  },
});

/** Counts for the bell icon. One condition found in a hundred organizations at once counts once. */
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
