"use client";

import { Button, Group } from "@mantine/core";
import { ArrowLeft, ArrowRight, SearchX, Stamp } from "lucide-react";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { type FilterParam, filterParsers, type View } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { LoadingRows } from "@/components/ui/loading-rows";
import { Failure, Notice, QueryFailure } from "@/components/ui/notice";
import { keysOf, mapValues } from "@/server/ground/records";
import { EntryTable } from "./entry-table";

// Loaded late, because most pages have entries.
const EmptyReason = dynamic(() => import("./empty-reason").then((m) => m.EmptyReason), {
  ssr: false,
  loading: () => <p role="status">Finding what to leave out …</p>,
});
const NOTHING = mapValues(filterParsers, () => null);
const RANGE: FilterParam[] = ["range", "from", "to"];

/** The last filter set. The address keeps the order, slightly behind the view. */
function lastFilter(params: URLSearchParams, view: View): FilterParam | undefined {
  const isSet = (name: FilterParam) => view[name] !== null;
  const inAddress = [...params.keys()].filter((name): name is FilterParam => name in filterParsers);
  return inAddress.filter(isSet).at(-1) ?? keysOf(filterParsers).filter(isSet).at(-1);
}

/** Why there are no rows: nothing has been logged yet, or nothing matches the filters. */
function EmptyList() {
  const { view, setView } = useViewer();
  const last = lastFilter(new URLSearchParams(useSearchParams()), view);
  if (!last && !view.cursor)
    return (
      <Notice icon={Stamp} title="Nothing logged yet">
        Every sign-in, change and denial will appear here, linked to the one before it. No setup is needed.
      </Notice>
    );
  if (!last || view.cursor)
    return (
      <Notice
        icon={SearchX}
        title="No older entries"
        action={
          <Button variant="default" onClick={() => setView({ cursor: null })}>
            Back to the newest
          </Button>
        }
      />
    );
  const clearLast = RANGE.includes(last) ? { range: null, from: null, to: null } : { [last]: null };
  const reset = { cursor: null, row: null };
  return (
    <Notice
      icon={SearchX}
      title="Nothing matches"
      action={
        <Group gap="sm" justify="center">
          <Button variant="default" onClick={() => setView({ ...clearLast, ...reset })}>
            Clear the last filter
          </Button>
          <Button variant="subtle" color="gray" onClick={() => setView({ ...NOTHING, ...reset })}>
            Clear all
          </Button>
        </Group>
      }
    >
      <p>No entry in the range above matches every word and filter.</p>
      <EmptyReason />
    </Notice>
  );
}

/** An empty page with older entries: a text too short for the index is searched in parts of the log. */
function NoMatchYet() {
  const { view } = useViewer();
  return (
    <Notice icon={SearchX} title={`No match among ${view.cursor ? "these" : "the newest"} entries`}>
      A search of one or two letters reads a part of the log at a time. Older entries have not been searched yet.
    </Notice>
  );
}

/** The entries of a page, or why there are none. While new rows load, the old ones stay, dimmed. */
export function EntryList() {
  const { list, entries, folds, isFoldPending, foldFailure } = useViewer().audit;
  if (list.isPending) return <EntrySkeleton />;
  if (list.isError) return <QueryFailure query={list} what="the audit log" />;
  if (entries.length === 0 && isFoldPending) return <EntrySkeleton />;
  if (entries.length === 0 && foldFailure)
    return <Failure error={foldFailure.error} onRetry={foldFailure.retry} what="the routine telemetry" />;
  const { nextCursor } = list.data.pagination;
  const isEmpty = entries.length === 0 && folds.length === 0;
  // An empty page describes the last search.
  if (isEmpty && list.isPlaceholderData) return <EntrySkeleton />;
  if (isEmpty && nextCursor === null) return <EmptyList />;
  return (
    <>
      {isEmpty ? <NoMatchYet /> : <EntryTable />}
      <Pager nextCursor={nextCursor} />
    </>
  );
}

/** Placeholder until the first rows have loaded. */
const EntrySkeleton = () => <LoadingRows what="the audit log" height={33} />;

/** Goes to older entries or back to the newest; the browser's Back button goes one page up. */
function Pager({ nextCursor }: { nextCursor: string | null }) {
  const { view, setView } = useViewer();
  const { cursor } = view;
  const onPage = (to: string | null) => setView({ cursor: to, row: null }, { scroll: true });
  if (!cursor && !nextCursor) return null;
  return (
    <Group component="nav" justify="space-between" gap="sm" px="edge" pt={16} pb={32} aria-label="Pages of entries">
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
    </Group>
  );
}
