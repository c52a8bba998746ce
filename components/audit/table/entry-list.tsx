"use client";

import { Button, Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { ArrowLeft, ArrowRight } from "lucide-react";
import type { RefObject } from "react";
import { useOrg } from "@/components/account/org";
import type { Entry } from "@/components/audit/entry";
import type { RoutineFold } from "@/components/audit/fold/lines";
import classes from "@/components/audit/viewer.module.css";
import { useViewer } from "@/components/audit/viewer-context";
import type { ApiError } from "@/components/trpc";
import { Failure } from "@/components/ui/notice";
import type { FullPage } from "@/server/audit/schema";
import { EmptyList } from "./empty-list";
import { EntryTable } from "./entry-table";
import type { TableSettings } from "./table-settings";

type Props = {
  list: UseQueryResult<FullPage, ApiError>;
  /** The list's entries, including those that arrived live. */
  entries: Entry[];
  /** Routine telemetry that is folded on this page; null until it has loaded. */
  folds: RoutineFold[] | null;
  settings: TableSettings;
  onOpen: (id: string) => void;
  table: RefObject<HTMLTableElement | null>;
};

/** The entries of a page, or why there are none. While new rows load, the old ones stay, dimmed. */
export function EntryList({ list, entries, folds, settings, onOpen, table }: Props) {
  const { view, setView } = useViewer();
  const { org, organizations, nameOf } = useOrg();
  if (list.isPending) return <EntrySkeleton />;
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} what="the audit log" />;
  if (entries.length === 0 && folds === null) return <EntrySkeleton />;
  if (entries.length === 0 && folds?.length === 0) return <EmptyList />;
  return (
    <>
      <EntryTable
        entries={entries}
        folds={folds ?? []}
        ends={{ hasNewer: view.cursor !== null, hasOlder: list.data.pagination.nextCursor !== null }}
        settings={settings}
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

const WIDTHS = ["46%", "38%", "52%", "41%", "35%", "49%", "44%", "37%", "51%", "40%"];

/** Placeholder until the first rows have loaded. */
function EntrySkeleton() {
  return (
    <div className={classes.skeleton} role="status" aria-label="Loading the audit log">
      {WIDTHS.map((width) => (
        <div key={width}>
          <Skeleton height={10} width={56} />
          <Skeleton height={10} width={width} />
          <Skeleton height={10} width={64} ml="auto" />
        </div>
      ))}
    </div>
  );
}

type PagerProps = { cursor: string | null; nextCursor: string | null; onPage: (cursor: string | null) => void };

/** Goes to older entries or back to the newest; the browser's Back button goes one page up. */
function Pager({ cursor, nextCursor, onPage }: PagerProps) {
  if (!cursor && !nextCursor) return null;
  return (
    <nav className={classes.pager} aria-label="Pages of entries">
      <Button
        variant="default"
        disabled={!cursor}
        leftSection={<ArrowLeft size={15} aria-hidden />}
        onClick={() => onPage(null)}
      >
        Newest
      </Button>
      <Button
        variant="default"
        disabled={!nextCursor}
        rightSection={<ArrowRight size={15} aria-hidden />}
        onClick={() => onPage(nextCursor)}
      >
        Older
      </Button>
    </nav>
  );
}
