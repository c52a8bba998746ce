"use client";

import { UnstyledButton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { type MouseEvent, memo, type ReactNode, useState } from "react";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { type Line, organizationsIn, type RoutineFold } from "@/components/audit/state/lines";
import { FROM_START } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { count, counted } from "@/components/format/amounts";
import { clock, dateTime, shortDate } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { readErrorText } from "@/components/ui/notice";
import { ROUTINE_ACTIONS } from "@/server/audit/vocabulary";
import { Cell, useTable } from "./columns";
import foldClasses from "./entry-lines.module.css";
import classes from "./entry-table.module.css";

/** One entry: time, actor, action, resource and result. Memoized, so that it renders only when it changes. */
const EntryRow = memo(function EntryRow({ entry, isOpen }: { entry: Entry; isOpen: boolean }) {
  const { columns, context } = useTable();
  const openRow = (event: MouseEvent) => {
    if (window.getSelection()?.toString() || (event.target instanceof Element && event.target.closest("a, button")))
      return;
    context.onOpen(entry.id);
  };
  return (
    // Mouse clicks anywhere in the row work; the link is for the keyboard.
    <tr className={classes.row} data-result={entry.result} data-open={isOpen || undefined} onClick={openRow}>
      {columns.map((column) => (
        <td
          key={column.id}
          data-column={column.id}
          data-label={column.header}
          data-from={column.from}
          data-align={column.align}
          data-place={column.place}
          style={{ gridArea: column.place }}
        >
          <Cell column={column} entry={entry} />
        </td>
      ))}
    </tr>
  );
});

function EntryRows({ entries }: { entries: readonly Entry[] }) {
  const { view } = useViewer();
  return entries.map((entry) => <EntryRow key={entry.id} entry={entry} isOpen={entry.id === view.row} />);
}

/** The newest entries of folded telemetry, and a link to all of them. */
function RoutineRows({ fold }: { fold: RoutineFold }) {
  const { input, setView } = useViewer();
  const { columns } = useTable();
  const { cursor: _, ...filter } = input;
  const { first: from, last: to } = fold;
  const list = useQuery(
    useTRPC().audit.list.queryOptions(
      { ...filter, routine: "only", from, to },
      // Rows of a recounted fold stay until its newest ones are loaded.
      { staleTime: Number.POSITIVE_INFINITY, placeholderData: keepPreviousData },
    ),
  );
  const showAll = () =>
    setView({
      actions: ROUTINE_ACTIONS.join(","),
      result: "success",
      range: null,
      from: new Date(from),
      to: new Date(to),
      ...FROM_START,
    });
  const rows = list.data?.data ?? [];
  return (
    <>
      <EntryRows entries={rows} />
      {(rows.length < fold.count || list.isError) && (
        <tr className={foldClasses.more}>
          <td colSpan={columns.length} role={list.isError ? "alert" : "status"}>
            {list.isError && readErrorText(list.error)}
            {list.isPending && `Loading ${counted(fold.count, "entry", "entries")}`}
            {list.isSuccess && (
              <>
                The newest {count(rows.length)} of {count(fold.count)}.{" "}
                <button type="button" className="tm-press" onClick={showAll}>
                  Show all
                </button>
              </>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

type Fold = Exclude<Line, { kind: "entry" }>;
type FoldRowProps = { line: Fold; isOpen: boolean; onToggle: () => void };

/** Many entries on one line: kind, number, and time span; a click unfolds them. */
function FoldRow({ line, isOpen, onToggle }: FoldRowProps) {
  const { columns } = useTable();
  const always = columns.filter(({ from }) => !from);
  return (
    <tr className={foldClasses.fold}>
      <td colSpan={always.length}>
        <UnstyledButton
          className={foldClasses.button}
          aria-expanded={isOpen}
          data-fold={line.key}
          onClick={onToggle}
          title={isOpen ? "Fold" : "Unfold"}
        >
          <ChevronRight size={14} aria-hidden className={foldClasses.chevron} />
          <span className={foldClasses.what}>
            <FoldText line={line} />
          </span>
          <FoldTimes line={line} />
        </UnstyledButton>
      </td>
      {columns
        .filter(({ from }) => from)
        .map(({ id, from }) => (
          <td key={id} data-from={from} />
        ))}
    </tr>
  );
}

const RepeatCount = ({ n }: { n: number }) => <b className="tm-figures">{` ×${count(n)}`}</b>;

function FoldText({ line }: { line: Fold }): ReactNode {
  if (line.kind === "routine")
    return (
      <>
        Routine telemetry{line.fold.actors !== null && ` from ${counted(line.fold.actors, "agent")}`}
        <RepeatCount n={line.fold.count} />
      </>
    );
  const { entries, isTruncated } = line;
  const [first] = entries;
  const organizations = organizationsIn(entries);
  if (!first) return null;
  return (
    <>
      <EntrySentence entry={first} />
      {organizations > 1 && ` in ${counted(organizations, "organization")}`}
      {organizations < entries.length && <RepeatCount n={entries.length} />}
      {isTruncated && " on this page"}
    </>
  );
}

/** "00:05:10 to 05:55:12": the times of the first and last entry, with dates if these differ. */
function FoldTimes({ line }: { line: Fold }) {
  const { zone } = useZone();
  const [first, last] =
    line.kind === "routine"
      ? [line.fold.first, line.fold.last]
      : [line.entries.at(-1)?.timestamp ?? "", line.entries[0]?.timestamp ?? ""];
  const format = shortDate(first, zone) === shortDate(last, zone) ? clock : dateTime;
  return (
    <span className={foldClasses.span}>
      <time dateTime={first}>{format(first, zone)}</time>
      {first !== last && (
        <>
          {" to "}
          <time dateTime={last}>{format(last, zone)}</time>
        </>
      )}
    </span>
  );
}

/** The lines of a day; an unfolded one shows its entries below it. */
export function Lines({ lines }: { lines: Line[] }) {
  const { view } = useViewer();
  const [open, setOpen] = useState<readonly string[]>([]);
  const toggle = (key: string) => setOpen(open.includes(key) ? open.filter((one) => one !== key) : [...open, key]);
  return lines.map((line) => {
    if (line.kind === "entry")
      return <EntryRow key={line.key} entry={line.entry} isOpen={line.entry.id === view.row} />;
    const isOpen = open.includes(line.key);
    return [
      <FoldRow key={line.key} line={line} isOpen={isOpen} onToggle={() => toggle(line.key)} />,
      isOpen && line.kind === "routine" && <RoutineRows key={`${line.key} rows`} fold={line.fold} />,
      isOpen && line.kind === "repeat" && <EntryRows key={`${line.key} rows`} entries={line.entries} />,
    ];
  });
}
