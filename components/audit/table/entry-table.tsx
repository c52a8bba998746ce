"use client";

import { type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Entry } from "@/components/audit/entry";
import { filtersByAction } from "@/components/audit/fold/folding";
import { daysOf, type Ends, type RoutineFold } from "@/components/audit/fold/lines";
import { useViewer } from "@/components/audit/viewer-context";
import { useClock } from "@/components/format/clock";
import { zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { cssVariables } from "@/components/ui/css-variables";
import { CellPivots } from "./cell-pivots";
import { type Column, minWidth, type Widths } from "./columns";
import { EntryHead } from "./entry-head";
import { Lines } from "./entry-lines";
import classes from "./entry-table.module.css";
import type { TableSettings } from "./table-settings";
import { TimeCard } from "./time-card";

type Props = {
  entries: Entry[];
  folds: RoutineFold[];
  ends: Ends;
  settings: TableSettings;
  /** Names organizations in their column; null when all rows belong to one. */
  orgName: ((orgId: string) => string) | null;
  /** True while old rows are shown and new ones load. */
  isStale: boolean;
  onOpen: (id: string) => void;
  bodyRef: RefObject<HTMLTableElement | null>;
};

const minWidths = (columns: Column[], widths: Widths) =>
  cssVariables({
    "--least-wide": `${minWidth(columns, widths, "wide")}px`,
    "--least-medium": `${minWidth(columns, widths, "medium")}px`,
    "--least-narrow": `${minWidth(columns, widths, "narrow")}px`,
    "--least": `${minWidth(columns, widths, "least")}px`,
  });

/** The entries, newest first, under a heading per day. On a phone each row is a card. */
export function EntryTable({ entries, folds, ends, settings, orgName, isStale, onOpen, bodyRef }: Props) {
  const { view, now } = useViewer();
  const frame = useRef<HTMLDivElement>(null);
  // Deferred, so that the checkbox in the chooser reacts before fifty rows rerender.
  const chosen = useDeferredValue(settings.columns);
  const hasOrg = orgName !== null;
  const columns = useMemo(() => chosen.filter(({ id }) => id !== "org" || hasOrg), [chosen, hasOrg]);
  // The day heading spans the columns that are always visible; responsive columns need empty cells that hide with them.
  const [always, fitting] = [columns.filter(({ from }) => !from), columns.filter(({ from }) => from)];
  const { zone } = useZone();
  const clock = useClock(now);
  const context = useMemo(
    () => ({ zone, now: clock, orgName: orgName ?? String, onOpen }),
    [zone, clock, orgName, onOpen],
  );
  const isFolding = settings.folds && !filtersByAction(view);
  const { hasNewer, hasOlder } = ends;
  const days = useMemo(
    () => daysOf({ entries, routine: folds, isFolding, ends: { hasNewer, hasOlder }, reader: { zone, now } }),
    [entries, folds, isFolding, hasNewer, hasOlder, zone, now],
  );
  const scrolls = useIsWiderThan(bodyRef, frame);
  return (
    <>
      <div className={classes.frame} ref={frame} data-scrolls={scrolls || undefined}>
        <table
          className={classes.table}
          style={minWidths(columns, settings.widths)}
          data-stale={isStale || undefined}
          data-density={settings.density}
          data-chosen={settings.isChosen || undefined}
          aria-busy={isStale}
          ref={bodyRef}
        >
          <caption>Audit entries, newest first. Times in {zoneName(zone)}.</caption>
          <EntryHead
            columns={columns}
            widths={settings.widths}
            onWidth={(id, width) => settings.change({ widths: { [id]: width } })}
          />
          {days.map((day) => (
            <tbody key={day.name}>
              <tr className={classes.day}>
                <th scope="rowgroup" colSpan={always.length}>
                  {day.name}
                </th>
                {fitting.map(({ id, from }) => (
                  <td key={id} data-from={from} />
                ))}
              </tr>
              <Lines lines={day.lines} columns={columns} context={context} />
            </tbody>
          ))}
        </table>
      </div>
      <TimeCard frame={frame} now={clock} />
      <CellPivots frame={frame} entries={entries} columns={columns} context={context} />
    </>
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
