"use client";

import { useMutation } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import Link from "next/link";
import { counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { RowButton } from "@/components/ui/row-button";
import { useInvalidation } from "@/components/use-invalidation";
import { KINDS } from "@/server/notify/vocabulary";
import type { Group, Notification } from "./group";
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
export function GroupItem({ group }: { group: Group }) {
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
        <p className={classes.meta}>
          <span>{first.label}</span>
          <span>
            <When at={first.resolvedAt ?? first.raisedAt} />
          </span>
          {unread.length > 0 && <span className={classes.unread}>Unread</span>}
        </p>
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

const headline = (group: Group): string =>
  group.length === 1 ? group[0].sentence : `${group[0].label}: ${counted(group.length, "organization")}`;

function SingleNotification({ notification }: { notification: Notification }) {
  const { sentence, resolution, link } = notification;
  return (
    <>
      <p className={classes.sentence}>
        <Link href={pathOf(link)}>{resolution ?? sentence}</Link>
      </p>
      {resolution && <p className={classes.before}>Before: {sentence}</p>}
    </>
  );
}

function NotificationList({ group }: { group: Group }) {
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
