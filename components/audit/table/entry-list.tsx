"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import type { RefObject } from "react";
import { useOrg } from "@/components/account/org";
import type { Entry } from "@/components/audit/entry";
import type { SetView, View } from "@/components/audit/filters/address";
import type { ApiError } from "@/components/trpc";
import { Failure } from "@/components/ui/notice";
import type { FullPage } from "@/server/audit/schema";
import { EmptyList } from "./empty-list";
import { EntrySkeleton } from "./entry-skeleton";
import { EntryTable } from "./entry-table";
import { Pager } from "./pager";
import type { TableLook } from "./table-look";

type Props = {
  view: View;
  setView: SetView;
  list: UseQueryResult<FullPage, ApiError>;
  /** The list's entries and those that came since. */
  entries: Entry[];
  look: TableLook;
  now: Date;
  onOpen: (id: string) => void;
  table: RefObject<HTMLTableElement | null>;
};

/** The entries of a page, or why there are none; old rows stay, dimmed, while new ones are on their way. */
export function EntryList({ view, setView, list, entries, look, now, onOpen, table }: Props) {
  const { org, organizations, nameOf } = useOrg();
  if (list.isPending) return <EntrySkeleton />;
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} what="the audit log" />;
  if (entries.length === 0) return <EmptyList view={view} setView={setView} />;
  return (
    <>
      <EntryTable
        entries={entries}
        look={look}
        view={view}
        setView={setView}
        now={now}
        orgName={org || organizations.length < 2 ? null : nameOf}
        isStale={list.isPlaceholderData}
        onOpen={onOpen}
        bodyRef={table}
      />
      <Pager
        cursor={view.cursor}
        nextCursor={list.data.pagination.nextCursor}
        onPage={(cursor) => setView({ cursor, row: null }, { scroll: true })}
      />
    </>
  );
}
