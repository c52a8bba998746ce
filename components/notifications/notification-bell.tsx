"use client";

import { useQuery } from "@tanstack/react-query";
import { Bell as BellIcon } from "lucide-react";
import Link from "next/link";
import { useCan } from "@/components/account/org";
import { count } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { Tip } from "@/components/ui/popover/tip";
import classes from "./notification-bell.module.css";

/** Poll interval for notifications: the server's interval for checking conditions. */
export const POLL_MS = 60_000;
const MAX_SHOWN = 99;

/** The number of unread notifications in every page's header, as a link to them. */
export function NotificationBell() {
  return useCan("audit:read") ? <UnreadCount /> : null;
}

function UnreadCount() {
  const trpc = useTRPC();
  const summary = useQuery(trpc.notifications.summary.queryOptions({}, { refetchInterval: POLL_MS }));
  const unread = summary.data?.unread ?? 0;
  const label = summary.data ? `Notifications, ${unread === 0 ? "none" : count(unread)} unread` : "Notifications";
  return (
    <Tip label={label}>
      <Link href="/notifications" className={classes.bell} aria-label={label} prefetch={false}>
        <BellIcon size={16} strokeWidth={1.75} aria-hidden />
        {unread > 0 && (
          <span className={classes.count} aria-hidden>
            {unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}
          </span>
        )}
      </Link>
    </Tip>
  );
}
