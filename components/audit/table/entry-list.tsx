"use client";

import { Button, Skeleton } from "@mantine/core";
import { ArrowLeft, ArrowRight } from "lucide-react";
import { useViewer } from "@/components/audit/state/viewer-context";
import classes from "@/components/audit/viewer.module.css";
import { Failure } from "@/components/ui/notice";
import { EmptyList, NoMatchYet } from "./empty-list";
import { EntryTable } from "./entry-table";

/** The entries of a page, or why there are none. While new rows load, the old ones stay, dimmed. */
export function EntryList() {
  const { list, entries, folds, isFoldPending, foldFailure } = useViewer().audit;
  if (list.isPending) return <EntrySkeleton />;
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} what="the audit log" />;
  if (entries.length === 0 && isFoldPending) return <EntrySkeleton />;
  if (entries.length === 0 && foldFailure)
    return <Failure error={foldFailure.error} onRetry={foldFailure.retry} what="the routine telemetry" />;
  const { nextCursor } = list.data.pagination;
  const isEmpty = entries.length === 0 && folds.length === 0;
  if (isEmpty && nextCursor === null) return <EmptyList />;
  // What is said of an empty page is said of the one that was read.
  if (isEmpty && list.isPlaceholderData) return <EntrySkeleton />;
  return (
    <>
      {isEmpty ? <NoMatchYet /> : <EntryTable />}
      <Pager nextCursor={nextCursor} />
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

/** Goes to older entries or back to the newest; the browser's Back button goes one page up. */
function Pager({ nextCursor }: { nextCursor: string | null }) {
  const { view, setView } = useViewer();
  const { cursor } = view;
  const onPage = (to: string | null) => setView({ cursor: to, row: null }, { scroll: true });
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
