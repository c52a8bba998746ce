import { env } from "@/server/ground/env";
import { groupBy } from "@/server/ground/records";
import type { MailBody } from "@/server/notify/deliveries/queue";
import { count } from "./kinds/definition";
import { type NotificationRow, toNotification } from "./list";
import type { Notification } from "./schema";

/** Items listed in a message; it states the number of others, and where to find them. */
const MAX_WEBHOOK_ITEMS = 500;
const MAX_MAIL_ITEMS = 25;

type Changed = { row: NotificationRow; notification: Notification; isResolved: boolean };
type WebhookMessage = { type: string; subject: string; data: Record<string, unknown> };

/** Conditions started or ended since an evaluation; one that did both is listed twice, in order. */
function changesOf(rows: readonly NotificationRow[], from: number): Changed[] {
  return rows.flatMap((row) => {
    const notification = toNotification(row, false);
    if (!notification) return [];
    const began = row.raisedIn !== null && row.raisedIn >= from;
    const ended = row.resolvedIn !== null && row.resolvedIn >= from;
    return [
      ...(began ? [{ row, notification, isResolved: false }] : []),
      ...(ended ? [{ row, notification, isResolved: true }] : []),
    ];
  });
}

/** Changes grouped by kind and direction, in order of appearance. */
const grouped = (changes: readonly Changed[]) => [
  ...groupBy(changes, ({ notification, isResolved }) => `${notification.kind} ${isResolved}`).values(),
];

const sentenceIn = ({ notification, isResolved }: Changed): string =>
  (isResolved ? notification.resolution : null) ?? notification.sentence;

/** "No agent online: 100 organizations", or the sentence of the only one. */
function headline(group: readonly [Changed, ...Changed[]]): string {
  const [first] = group;
  if (group.length === 1) return sentenceIn(first);
  return `${first.notification.label}${first.isResolved ? ", over" : ""}: ${count(group.length, "organization")}`;
}

/** One message per kind and direction, however many organizations. */
export function composeWebhooks(rows: readonly NotificationRow[], from: number): WebhookMessage[] {
  return grouped(changesOf(rows, from)).map((group) => {
    const [{ notification, isResolved }] = group;
    return {
      type: isResolved ? "notification.resolved" : "notification.raised",
      subject: headline(group),
      data: {
        kind: notification.kind,
        label: notification.label,
        total: group.length,
        notifications: group.slice(0, MAX_WEBHOOK_ITEMS).map((change) => ({
          id: change.notification.id,
          orgId: change.notification.orgId,
          organization: change.notification.organization,
          sentence: sentenceIn(change),
          since: change.notification.since,
          raisedAt: change.notification.raisedAt,
          resolvedAt: isResolved ? change.notification.resolvedAt : null,
          link: change.notification.link,
        })),
      },
    };
  });
}

function section(group: readonly [Changed, ...Changed[]]): string {
  const lines = group
    .slice(0, MAX_MAIL_ITEMS)
    .map((change) => `- ${sentenceIn(change)}\n  ${change.notification.link}`);
  const rest = group.length - lines.length;
  const [first] = group;
  const title = `${first.notification.label}${first.isResolved ? ", over" : ""} (${count(group.length, "organization")})`;
  return [title, ...lines, ...(rest > 0 ? [`- and ${count(rest, "more organization")}`] : [])].join("\n");
}

/** One mail with all items; null if there is nothing to report. */
export function composeMail(
  rows: readonly NotificationRow[],
  from: number,
): { subject: string; mail: MailBody } | null {
  const groups = grouped(changesOf(rows, from));
  const [first] = groups;
  if (!first) return null;
  const page = `${env().NEXTAUTH_URL}/notifications`;
  const subject =
    groups.length === 1
      ? headline(first)
      : `${count(groups.length, "notification")}: ${first[0].notification.label} and others`;
  const why = `You get this mail because your settings ask for it: ${env().NEXTAUTH_URL}/settings/notifications`;
  return {
    subject: `Trailmark: ${subject}`,
    mail: { text: [...groups.map(section), `All notifications: ${page}`, why].join("\n\n") },
  };
}
