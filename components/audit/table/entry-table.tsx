"use client";

import { type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useOrg } from "@/components/account/org";
import { endsOf } from "@/components/audit/entry";
import { type Day, daysOf } from "@/components/audit/state/lines";
import type { ColumnId, Widths } from "@/components/audit/state/table-params";
import { filtersByAction } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { useClock } from "@/components/format/clock";
import { zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { cssVariables } from "@/components/ui/css-variables";
import { CellPivots } from "./cell-pivots";
import { COLUMN, type Column, minWidth, TableContext } from "./columns";
import { EntryHead } from "./entry-head";
import { Lines } from "./entry-lines";
import classes from "./entry-table.module.css";
import { TimeCard } from "./time-card";

const minWidths = (columns: Column[], widths: Widths) =>
  cssVariables({
    "--min-width-wide": `${minWidth(columns, widths, "wide")}px`,
    "--min-width-medium": `${minWidth(columns, widths, "medium")}px`,
    "--min-width-narrow": `${minWidth(columns, widths, "narrow")}px`,
    "--min-width": `${minWidth(columns, widths, "base")}px`,
  });

/** The entries, newest first, under a heading per day. On a phone each row is a card. */
export function EntryTable() {
  const { now, settings, audit, table } = useViewer();
  const { isPlaceholderData: isStale } = audit.list;
  const frame = useRef<HTMLDivElement>(null);
  // Deferred, so that the checkbox in the chooser reacts before fifty rows rerender.
  const chosen = useDeferredValue(settings.ids);
  const clock = useClock(now);
  const cells = useCells(chosen, clock);
  const { columns } = cells;
  // The day heading spans the columns that are always visible; responsive columns need empty cells that hide with them.
  const [always, fitting] = [columns.filter(({ from }) => !from), columns.filter(({ from }) => from)];
  const { zone } = useZone();
  const days = useDays(clock);
  const scrolls = useIsWiderThan(table, frame);
  return (
    <TableContext value={cells}>
      <div className={classes.frame} ref={frame} data-scrolls={scrolls || undefined}>
        <table
          className={`tm-table ${classes.table}`}
          style={minWidths(columns, settings.widths)}
          data-stale={isStale || undefined}
          data-density={settings.density}
          data-chosen={settings.isChosen || undefined}
          aria-busy={isStale}
          ref={table}
        >
          <caption>Audit entries, newest first. Times in {zoneName(zone, ...endsOf(audit.entries))}.</caption>
          <EntryHead
            columns={columns}
            widths={settings.widths}
            onWidth={(id, width) => settings.change({ widths: { [id]: width } })}
          />
          {days.map((day) => (
            <tbody key={day.date}>
              <tr className={classes.day}>
                <th scope="rowgroup" colSpan={always.length}>
                  {day.name}
                </th>
                {fitting.map(({ id, from }) => (
                  <td key={id} data-from={from} />
                ))}
              </tr>
              <Lines lines={day.lines} />
            </tbody>
          ))}
        </table>
      </div>
      <TimeCard frame={frame} now={clock} />
      <CellPivots frame={frame} />
    </TableContext>
  );
}

/** Visible columns and cell context; stable, so that memoized rows do not rerender. */
function useCells(chosen: ColumnId[], now: Date) {
  const { open: onOpen } = useViewer().opened;
  const { org, organizations, nameOf: orgName } = useOrg();
  const { zone } = useZone();
  const hasOrg = !org && organizations.length > 1;
  return useMemo(
    () => ({
      columns: chosen.filter((id) => id !== "org" || hasOrg).map((id) => COLUMN[id]),
      context: { zone, now, orgName, onOpen },
    }),
    [chosen, hasOrg, zone, now, orgName, onOpen],
  );
}

function useDays(now: Date): Day[] {
  const { view, settings, audit } = useViewer();
  const { entries, folds, list } = audit;
  const { zone } = useZone();
  const isFolding = settings.folds && !filtersByAction(view);
  const hasNewer = view.cursor !== null;
  const hasOlder = Boolean(list.data?.pagination.nextCursor);
  return useMemo(
    () => daysOf({ entries, routine: folds, isFolding, ends: { hasNewer, hasOlder }, reader: { zone, now } }),
    [entries, folds, isFolding, hasNewer, hasOlder, zone, now],
  );
}

/**
 * True while the columns overflow. Only then does the table scroll sideways, because that disables its sticky heading.
 */
function useIsWiderThan(table: RefObject<HTMLElement | null>, frame: RefObject<HTMLElement | null>): boolean {
  const [isWider, setIsWider] = useState(false);
  useEffect(() => {
    const [inner, outer] = [table.current, frame.current];
    if (!inner || !outer) return;
    const sizes = new ResizeObserver(() => setIsWider(inner.offsetWidth > outer.clientWidth));
    sizes.observe(inner);
    sizes.observe(outer);
    return () => sizes.disconnect();
  }, [table, frame]);
  return isWider;
}
