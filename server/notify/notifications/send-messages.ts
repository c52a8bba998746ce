import { and, asc, eq, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/arrays";
import { notificationSettings, notifications, organizations, users, webhookEndpoints } from "@/db/schema/index";
import type { JobKind } from "@/server/ground/jobs";
import { log } from "@/server/ground/log";
import { isMailConfigured } from "@/server/ground/mail";
import { ROLE_PERMISSIONS } from "@/server/ground/permissions";
import { mapValues } from "@/server/ground/records";
import { queueMail, queueWebhook } from "@/server/notify/deliveries/queue";
import { DEFAULT_MAIL_KINDS } from "@/server/notify/vocabulary";
import { composeMail, composeWebhooks } from "./compose";
import { evaluate, type Pass } from "./evaluate";
import { DEFINITIONS } from "./kinds/index";
import { columns } from "./list";

/** Findings within this time after a message are sent together in the next one. */
const WEBHOOK_EVERY_MS = 60_000;
const MAIL_EVERY_MS = 15 * 60_000;

const t = notifications;

/** Started or ended since an evaluation. */
const changedSince = (pass: SQL | number): SQL | undefined =>
  and(isNotNull(t.raisedIn), or(sql`${t.raisedIn} >= ${pass}`, sql`${t.resolvedIn} >= ${pass}`));

/** Notifications for an endpoint: its organization's, or its partner's. */
const concernsEndpoint = sql`${t.kind} = ANY (${webhookEndpoints.kinds}) AND (
  ${webhookEndpoints.orgId} = ${t.orgId}
  OR (${webhookEndpoints.orgId} IS NULL AND ${webhookEndpoints.partnerId} = ${organizations.partnerId}))`;

const managing = Object.entries(ROLE_PERMISSIONS).flatMap(([role, permissions]) =>
  permissions.includes("audit:manage") ? [role] : [],
);

/** Notifications for a person: in reach, of a kind wanted by mail, of a chosen organization. */
const concernsPerson = sql`${t.kind} = ANY (coalesce(${notificationSettings.mailKinds},
    CASE WHEN ${users.role} = ANY (${textArray(managing)}) THEN ${textArray(DEFAULT_MAIL_KINDS)} ELSE '{}' END))
  AND (${notificationSettings.orgIds} IS NULL OR ${t.orgId} = ANY (${notificationSettings.orgIds}))
  AND (${users.role} = 'system_admin' OR ${users.orgId} = ${t.orgId}
    OR (${users.orgId} IS NULL AND ${users.partnerId} = ${organizations.partnerId} AND (${users.allOrganizations}
      OR EXISTS (SELECT FROM user_organizations m WHERE m.user_id = ${users.id} AND m.org_id = ${t.orgId}))))`;

/** Marks every recipient of this evaluation's findings as owed a message. */
async function markPending({ tx, number }: Pass): Promise<void> {
  const found = sql`SELECT FROM ${t} JOIN ${organizations} ON ${organizations.id} = ${t.orgId}
    WHERE (${t.raisedIn} = ${number} OR ${t.resolvedIn} = ${number})`;
  const [any] = await tx
    .select({ id: t.id })
    .from(t)
    .where(or(eq(t.raisedIn, number), eq(t.resolvedIn, number)))
    .limit(1);
  if (!any) return;
  await tx
    .update(webhookEndpoints)
    .set({ pendingFrom: sql`coalesce(${webhookEndpoints.pendingFrom}, ${number})` })
    .where(and(isNull(webhookEndpoints.disabledAt), sql`EXISTS (${found} AND ${concernsEndpoint})`));
  if (!isMailConfigured()) return;
  const people = tx
    .select({ userId: users.id })
    .from(users)
    .leftJoin(notificationSettings, eq(notificationSettings.userId, users.id))
    .where(and(isNull(users.disabledAt), sql`EXISTS (${found} AND ${concernsPerson})`))
    // Locks in the order used when changing a person's access: the person before their settings.
    .for("key share", { of: users });
  for (const { userId } of await people)
    await tx
      .insert(notificationSettings)
      .values({ userId, pendingFrom: number })
      .onConflictDoUpdate({
        target: notificationSettings.userId,
        set: { pendingFrom: sql`coalesce(${notificationSettings.pendingFrom}, ${number})` },
      });
}

async function notifyEndpoints({ tx, now }: Pass): Promise<void> {
  const e = webhookEndpoints;
  const before = new Date(now.getTime() - WEBHOOK_EVERY_MS);
  const due = await tx
    .select()
    .from(e)
    .where(and(isNotNull(e.pendingFrom), isNull(e.disabledAt), or(isNull(e.lastSentAt), lte(e.lastSentAt, before))));
  for (const endpoint of due) {
    const from = endpoint.pendingFrom ?? 0;
    const rows = await tx
      .select(columns)
      .from(t)
      .innerJoin(organizations, eq(organizations.id, t.orgId))
      .innerJoin(e, eq(e.id, endpoint.id))
      .where(and(changedSince(from), concernsEndpoint))
      .orderBy(asc(organizations.name));
    for (const message of composeWebhooks(rows, from)) await queueWebhook(tx, endpoint, { ...message, at: now });
    await tx.update(e).set({ pendingFrom: null, lastSentAt: now }).where(eq(e.id, endpoint.id));
  }
}

async function notifyPeople({ tx, now }: Pass): Promise<void> {
  const s = notificationSettings;
  const before = new Date(now.getTime() - MAIL_EVERY_MS);
  const due = await tx
    .select({ id: users.id, partnerId: users.partnerId, orgId: users.orgId, from: s.pendingFrom })
    .from(s)
    .innerJoin(users, eq(users.id, s.userId))
    .where(
      and(isNotNull(s.pendingFrom), isNull(users.disabledAt), or(isNull(s.lastMailedAt), lte(s.lastMailedAt, before))),
    );
  for (const person of due) {
    const from = person.from ?? 0;
    // A later change of the person's access deletes the mail.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, person.id)).for("key share");
    const rows = await tx
      .select(columns)
      .from(t)
      .innerJoin(organizations, eq(organizations.id, t.orgId))
      .innerJoin(users, eq(users.id, person.id))
      .leftJoin(s, eq(s.userId, users.id))
      .where(and(changedSince(from), concernsPerson))
      .orderBy(asc(organizations.name));
    const message = composeMail(rows, from);
    if (message) await queueMail(tx, person, { ...message, type: "notifications", at: now });
    await tx.update(s).set({ pendingFrom: null, lastMailedAt: now }).where(eq(s.userId, person.id));
  }
}

/**
 * Queues a message for every owed recipient without a recent one, in the transaction of the evaluation: stored findings
 * are sent exactly once, however the process ends.
 */
export async function sendMessages(pass: Pass): Promise<void> {
  await markPending(pass);
  await notifyEndpoints(pass);
  await notifyPeople(pass);
}

const CHECKS = mapValues(DEFINITIONS, ({ check }) => check);

/** Evaluates every condition once a minute and queues messages. */
export const notificationJob: JobKind<object> = {
  name: "notifications",
  cron: "* * * * *",
  atOnce: 1,
  maxAttempts: 1,
  async run() {
    for (const err of await evaluate(CHECKS, new Date(), sendMessages))
      log.warn({ err }, "a condition could not be evaluated");
  },
};
