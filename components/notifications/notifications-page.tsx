"use client";

import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import Link from "next/link";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useOrg } from "@/components/account/org";
import { counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PagedList } from "@/components/ui/paged-list";
import { RowButton } from "@/components/ui/record-table";
import { useInvalidation } from "@/components/use-invalidation";
import { KINDS } from "@/server/notify/vocabulary";
import { POLL_MS } from "./notification-bell";
import classes from "./notifications.module.css";

const pathOf = (link: string): string => {
  const { pathname, search } = new URL(link);
  return pathname + search;
};

function toneOf({ status, kind }: Notification) {
  if (status === "resolved") return { tone: "good", word: "Resolved", Icon: CircleCheck };
  return KINDS[kind].isUrgent
    ? { tone: "bad", word: "Open, urgent", Icon: CircleAlert }
    : { tone: "warn", word: "Open", Icon: TriangleAlert };
}

/** One notification, or a group of the same kind that started or ended together. */
function GroupItem({ group }: { group: Alike }) {
  const trpc = useTRPC();
  const read = useMutation(trpc.notifications.read.mutationOptions(useInvalidation(trpc.notifications.pathFilter())));
  const [first] = group;
  const { tone, word, Icon } = toneOf(first);
  const unread = group.filter(({ isRead }) => !isRead).map(({ id }) => id);
  return (
    <li className={classes.item} data-unread={unread.length > 0 || undefined}>
      <span className={classes.icon} data-tone={tone}>
        <Icon size={18} strokeWidth={1.75} role="img" aria-label={word} />
      </span>
      <div className={classes.body}>
        <Group component="p" gap="4px 12px" fz="sm" c="dimmed">
          <span>{first.label}</span>
          <span>
            <When at={first.resolvedAt ?? first.raisedAt} />
          </span>
          {unread.length > 0 && <span className={classes.unread}>Unread</span>}
        </Group>
        {group.length === 1 ? <SingleNotification notification={first} /> : <NotificationList group={group} />}
      </div>
      {unread.length > 0 && (
        <RowButton label={`Mark as read: ${headline(group)}`} onClick={() => read.mutate({ ids: unread })}>
          Mark as read
        </RowButton>
      )}
    </li>
  );
}

const headline = (group: Alike): string =>
  group.length === 1 ? group[0].sentence : `${group[0].label}: ${counted(group.length, "organization")}`;

function SingleNotification({ notification }: { notification: Notification }) {
  const { sentence, resolution, link } = notification;
  return (
    <>
      <p className={classes.sentence}>
        <Link href={pathOf(link)}>{resolution ?? sentence}</Link>
      </p>
      {resolution && (
        <Text size="sm" c="dimmed">
          Before: {sentence}
        </Text>
      )}
    </>
  );
}

function NotificationList({ group }: { group: Alike }) {
  return (
    <details>
      <summary className={classes.sentence}>
        {headline(group)}
        {group[0].status === "resolved" && ", over"}
      </summary>
      <ul className={classes.many}>
        {group.map(({ id, link, sentence, resolution }) => (
          <li key={id}>
            <Link href={pathOf(link)}>{resolution ?? sentence}</Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

type Notification = Outputs["notifications"]["list"]["data"][number];
/** Notifications of one kind from the same evaluation, shown as one. */
type Alike = [Notification, ...Notification[]];

/** Groups adjacent notifications of the same kind, status and evaluation; keeps the order. */
function grouped(rows: readonly Notification[]): Alike[] {
  const groups: Alike[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    const first = last?.[0];
    if (last && first && first.kind === row.kind && first.status === row.status && first.batch === row.batch)
      last.push(row);
    else groups.push([row]);
  }
  return groups;
}

const STATUSES = ["open", "resolved", "all"] as const;
const LABELS = { open: "Open", resolved: "Resolved", all: "All" };
/** Large, because rows are shown in groups. */
const LIMIT = 100;

/** The user's notifications about the organizations they can see. */
export function NotificationsPage() {
  const trpc = useTRPC();
  const { orgId, org } = useOrg();
  const [view, setView] = useQueryStates(
    { page: parseAsInteger.withDefault(1), status: parseAsStringLiteral(STATUSES).withDefault("all") },
    { history: "push" },
  );
  const input = {
    page: view.page,
    limit: LIMIT,
    orgId,
    ...(view.status !== "all" && { status: view.status }),
  };
  // The list shows every notification that the bell counts, on a page left open too.
  const list = useQuery(
    trpc.notifications.list.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: POLL_MS }),
  );
  const summary = useQuery(trpc.notifications.summary.queryOptions({ orgId }, { refetchInterval: POLL_MS }));
  const read = useMutation(trpc.notifications.read.mutationOptions(useInvalidation(trpc.notifications.pathFilter())));
  return (
    <>
      <PageHeader
        title="Notifications"
        lead={org ? `Alarms at ${org.name}.` : "Alarms in the organizations you can see."}
      >
        {(summary.data?.unread ?? 0) > 0 && (
          <Button onClick={() => read.mutate({ orgId })} loading={read.isPending}>
            Mark all as read
          </Button>
        )}
      </PageHeader>
      <Group gap="sm" px="edge" pb="lg">
        <SegmentedControl
          aria-label="Which notifications"
          size="sm"
          data={STATUSES.map((value) => ({ value, label: LABELS[value] }))}
          value={view.status}
          onChange={(value) => setView({ status: STATUSES.find((s) => s === value) ?? "all", page: null })}
        />
        <Button component={Link} href="/settings/notifications" variant="default">
          Settings
        </Button>
      </Group>
      <PagedList
        query={list}
        what="the notifications"
        empty={
          <Notice title={view.status === "all" ? "No notifications" : `No ${view.status} notifications`}>
            Nothing needs attention. Choose what to be told about in Settings.
          </Notice>
        }
        onPage={(page) => setView({ page })}
      >
        {(rows) => (
          <ul className={classes.list} aria-label="Notifications">
            {grouped(rows).map((group) => (
              <GroupItem key={group[0].id} group={group} />
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}
