"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { count, counted } from "@/components/format/amounts";
import shared from "@/components/import/import.module.css";
import { useTRPC } from "@/components/trpc";
import { Failure, Notice } from "@/components/ui/notice";
import { RecordTable, RowButton } from "@/components/ui/record-table";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import {
  type ImportRow,
  ROW_OUTCOME_LABELS,
  type RowOutcome,
  type ValueOutcome,
} from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { capitalized } from "@/server/ground/text";
import classes from "./check.module.css";
import { RowDrawer } from "./row-drawer";

/** Not found is not an error: inventories often keep retired machines. */
export const ROW_TONE: Record<RowOutcome, Tone> = {
  matched_source_id: "good",
  matched_hostname: "good",
  ambiguous: "warn",
  identity_conflict: "bad",
  not_found: "off",
  unreadable: "bad",
  changed: "warn",
};

/** Most values are fine; only those that need attention are highlighted. */
export const VALUE_TONE: Record<ValueOutcome, Tone | null> = {
  set: "good",
  overwrite: "warn",
  clear: "warn",
  same: null,
  kept: null,
  invalid: "bad",
  left_out: null,
  empty: null,
  none: null,
};

const ROW_PX = 52;
const PAGE = 200;
type Props = { state: ImportState; outcome: RowOutcome | null; value: ValueOutcome | null; search: string };

/** Every row with its outcome and reason, virtualized. */
export function CheckTable({ state, outcome, value, search }: Props) {
  const trpc = useTRPC();
  const [opened, setOpened] = useState<number | null>(null);
  const input = {
    id: state.id,
    limit: PAGE,
    ...(outcome ? { outcome } : {}),
    ...(value ? { value } : {}),
    ...(search ? { search } : {}),
  };
  const query = useInfiniteQuery(
    trpc.imports.rows.infiniteQueryOptions(input, {
      getNextPageParam: (last) => last.nextCursor ?? undefined,
      initialCursor: 0,
    }),
  );
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  if (query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} what="the rows" />;
  if (query.data && rows.length === 0)
    return <Notice title={search ? `No row contains “${search}”` : "No row has this outcome"} />;
  const at = rows.findIndex((r) => r.rowNo === opened);
  const row = rows[at] ?? null;
  const moveTo = (by: -1 | 1) => {
    const next = rows[at + by];
    return at >= 0 && next ? () => setOpened(next.rowNo) : null;
  };
  return (
    <>
      <Scroller
        rows={rows}
        hasMore={query.hasNextPage}
        onMore={() => !query.isFetching && void query.fetchNextPage()}
        onOpen={setOpened}
      />
      <p className={shared.lead} role="status">
        {query.isPending
          ? "Loading the rows."
          : `${counted(rows.length, "row")} shown${query.hasNextPage ? "; scroll for more" : ""}.`}
        <span className={classes.hint}> Arrow keys go from row to row, Enter opens one.</span>
      </p>
      <RowDrawer state={state} row={row} onMove={moveTo} onClose={() => setOpened(null)} />
    </>
  );
}

const STEPS_BY_KEY: Record<string, -1 | 1> = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 };

/** Arrow keys move between the rows' buttons: there can be a hundred thousand, too many for Tab. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const by = event.ctrlKey || event.metaKey || event.altKey ? undefined : STEPS_BY_KEY[event.key];
  const row = event.target instanceof Element ? event.target.closest("tr[data-index]") : null;
  if (!by || !row) return;
  const next = event.currentTarget.querySelector(
    `tr[data-index="${Number(row.getAttribute("data-index")) + by}"] button`,
  );
  if (next instanceof HTMLElement) next.focus();
  event.preventDefault();
}

type ScrollerProps = { rows: ImportRow[]; hasMore: boolean; onMore: () => void; onOpen: (rowNo: number) => void };

function Scroller({ rows, hasMore, onMore, onOpen }: ScrollerProps) {
  const frame = useRef<HTMLElement>(null);
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - 20) onMore();
  }, [hasMore, last, rows.length, onMore]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section ref={frame} className={classes.frame} tabIndex={0} aria-label="Rows of the file" onKeyDown={moveFocus}>
      <RecordTable
        caption="Rows of the file with their outcomes"
        rows={rows}
        rowKey={(row) => String(row.rowNo)}
        virtual={virtual}
        hasMore={hasMore}
        columns={[
          {
            header: "Row",
            width: 110,
            cell: ({ rowNo }) => (
              <RowButton label={`Open row ${rowNo}`} onClick={() => onOpen(rowNo)}>
                {count(rowNo)}
              </RowButton>
            ),
          },
          {
            header: "Computer",
            cell: (row) => (
              <span>
                {row.hostname || "No name"}
                <small>{row.sourceId ? `ID ${row.sourceId}` : "no ID"}</small>
              </span>
            ),
          },
          { header: "Outcome", width: 200, cell: (row) => <Outcome row={row} /> },
          { header: "Device or reason", cell: (row) => <Device row={row} /> },
          { header: "Values", width: 220, cell: (row) => <Values row={row} /> },
        ]}
      />
    </section>
  );
}

const pickedOf = ({ candidates, pickedDeviceId }: ImportRow) =>
  candidates.find(({ deviceId }) => deviceId === pickedDeviceId);

function Outcome({ row }: { row: ImportRow }) {
  const isPicked = pickedOf(row) !== undefined;
  return (
    <StateTag tone={isPicked ? "good" : ROW_TONE[row.outcome]}>
      {isPicked ? "Picked" : ROW_OUTCOME_LABELS[row.outcome]}
    </StateTag>
  );
}

function Device({ row }: { row: ImportRow }) {
  const device = row.device ?? pickedOf(row);
  if (!device) return capitalized(row.reason ?? "");
  return (
    <span>
      {device.hostname}
      <small>{device.organization}</small>
    </span>
  );
}

/** "8 set, 1 invalid"; for a row not applied by the run: "Not written: 8 set, 1 invalid" */
function summary(row: ImportRow): string {
  const n = (name: ValueOutcome) => row.cells.filter((cell) => cell.outcome === name).length;
  const parts: [ValueOutcome, string][] = [
    ["set", "set"],
    ["overwrite", "overwritten"],
    ["clear", "cleared"],
    ["same", "same"],
    ["kept", "kept"],
    ["invalid", "invalid"],
    ["left_out", "left out"],
  ];
  const counts = parts.flatMap(([name, word]) => (n(name) > 0 ? [`${n(name)} ${word}`] : [])).join(", ");
  const isLeft = row.applied === false && n("set") + n("overwrite") + n("clear") > 0;
  return isLeft ? `Not written: ${counts}` : counts;
}

function Values({ row }: { row: ImportRow }) {
  const values = summary(row);
  const isInvalid = row.cells.some(({ outcome }) => outcome === "invalid");
  return (
    <span className={classes.figure} data-zero={values === "" || undefined} data-bad={isInvalid || undefined}>
      {values || "None"}
    </span>
  );
}
