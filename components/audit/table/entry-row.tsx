"use client";

import { type MouseEvent, memo } from "react";
import type { Entry } from "@/components/audit/entry";
import { useViewer } from "@/components/audit/state/viewer-context";
import { type Column, useTable } from "./columns";
import classes from "./entry-table.module.css";

type Props = {
  entry: Entry;
  /** The previous row of the same day: values that both share are dimmed. */
  above: Entry | undefined;
  isOpen: boolean;
};

/** One entry: when, who did what to what, and the result. Memoized, so that it renders only when it changes. */
export const EntryRow = memo(function EntryRow({ entry, above, isOpen }: Props) {
  const { columns, context } = useTable();
  const isSame = ({ same }: Column) => above !== undefined && same?.(above, context) === same?.(entry, context);
  const openRow = (event: MouseEvent) => {
    if (window.getSelection()?.toString() || (event.target instanceof Element && event.target.closest("a, button")))
      return;
    context.onOpen(entry.id);
  };
  return (
    // The link in the row is for the keyboard; the row itself only enlarges the click target.
    <tr className={classes.row} data-result={entry.result} data-open={isOpen || undefined} onClick={openRow}>
      {columns.map((column) => (
        <td
          key={column.id}
          data-column={column.id}
          data-label={column.header}
          data-from={column.from}
          data-align={column.align}
          data-same={(column.same && isSame(column)) || undefined}
        >
          {column.cell(entry, context)}
        </td>
      ))}
    </tr>
  );
});

/** Consecutive entries of one day. */
export function EntryRows({ entries }: { entries: readonly Entry[] }) {
  const { view } = useViewer();
  return entries.map((entry, at) => (
    <EntryRow key={entry.id} entry={entry} above={entries[at - 1]} isOpen={entry.id === view.row} />
  ));
}
