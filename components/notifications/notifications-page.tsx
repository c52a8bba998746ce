"use client";

import { Button, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useOrg } from "@/components/account/org";
import { useTRPC } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PagedList } from "@/components/ui/paged-list";
import { useInvalidation } from "@/components/use-invalidation";
import { grouped } from "./group";
import { GroupItem } from "./group-item";
import classes from "./notifications.module.css";
import { POLL_MS } from "./poll";

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
  // What the bell counts is in the list, on a page left open too.
  const list = useQuery(
    trpc.notifications.list.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: POLL_MS }),
  );
  const summary = useQuery(trpc.notifications.summary.queryOptions({ orgId }, { refetchInterval: POLL_MS }));
  const read = useMutation(trpc.notifications.read.mutationOptions(useInvalidation(trpc.notifications.pathFilter())));
  return (
    <>
      <PageHeader
        title="Notifications"
        lead={org ? `What needs attention at ${org.name}.` : "What needs attention in the organizations you can see."}
      >
        {(summary.data?.unread ?? 0) > 0 && (
          <Button onClick={() => read.mutate({ orgId })} loading={read.isPending}>
            Mark all as read
          </Button>
        )}
      </PageHeader>
      <div className={classes.tools}>
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
      </div>
      <PagedList
        query={list}
        what="the notifications"
        empty={
          <Notice title={view.status === "all" ? "No notifications" : `No ${view.status} notifications`}>
            Conditions are checked once a minute. Your settings say which kinds you are notified of.
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
