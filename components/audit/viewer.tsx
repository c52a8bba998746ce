"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useCallback, useMemo, useRef, useState } from "react";
import { Failure } from "../shell/notice";
import { useCan, useOrg } from "../shell/org";
import { PageHeader } from "../shell/page-header";
import { useZone } from "../shell/zone";
import { useTRPC } from "../trpc";
import { Chips } from "./chips";
import { EmptyList } from "./empty-list";
import { entriesQuery, isCut, totalQuery } from "./entries-query";
import { EntrySkeleton } from "./entry-skeleton";
import { EntryTable } from "./entry-table";
import { FacetsSkeleton } from "./facets-skeleton";
import { namesOf } from "./field-labels";
import { misread, toListInput, viewParsers } from "./filters";
import { Histogram } from "./histogram";
import { isLive, useLive } from "./live";
import { toggleLive } from "./live-toggle";
import { Misread } from "./misread";
import { Pager } from "./pager";
import { PrintSummary } from "./print-summary";
import { RangeLine } from "./range-line";
import { FROM_START } from "./set-view";
import { useTableLook } from "./table-look";
import { Toolbar } from "./toolbar";
import classes from "./viewer.module.css";
import { focusEntry, useViewerKeys } from "./viewer-keys";

const EntryDrawer = dynamic(() => import("./entry-drawer").then((m) => m.EntryDrawer), { ssr: false });
const ExportDialog = dynamic(() => import("./export-dialog").then((m) => m.ExportDialog), { ssr: false });
const Facets = dynamic(() => import("./facets").then((m) => m.Facets), { loading: FacetsSkeleton });

/** The audit log: search and filters above, a sentence per entry, the chosen one in a drawer. The address is its state. */
export function Viewer({ loadedAt }: { loadedAt: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "push" });
  const [now, setNow] = useState(() => new Date(loadedAt));
  const [isExporting, setIsExporting] = useState(false);
  const [usesDrawer, setUsesDrawer] = useState(view.row !== null);
  if (view.row !== null && !usesDrawer) setUsesDrawer(true);
  const look = useTableLook(view, setView);
  const mayExport = useCan("audit:export");
  const { zone } = useZone();
  const { org, organizations, nameOf: orgName } = useOrg();
  const home = org ?? (organizations.length === 1 ? organizations[0] : null);
  const tableRef = useRef<HTMLTableElement>(null);
  const searchRef = useRef<HTMLInputElement>(null);

  const input = useMemo(() => toListInput(view, zone, now), [view, zone, now]);
  // A live list grows by itself, and must not move because the window came back.
  const list = useQuery({ ...entriesQuery(trpc, input), refetchOnWindowFocus: !isLive(view) });
  const counted = useQuery(totalQuery(trpc, input));
  const { entries, added, bar } = useLive({ view, input, list, counted, table: tableRef });
  const total = counted.data ? counted.data.pagination.total + added : null;
  const names = useMemo(() => namesOf(view, entries), [view, entries]);
  const wrong = misread(new URLSearchParams(useSearchParams()));

  const open = useCallback(
    (row: string | null, history: "push" | "replace" = "push") => setView({ row }, { history }),
    [setView],
  );
  const step = (by: 1 | -1) => {
    const at = entries.findIndex((e) => e.id === view.row);
    const next = entries[at + by];
    if (next) open(next.id, "replace");
  };
  const close = () => {
    const id = view.row;
    open(null);
    if (id) requestAnimationFrame(() => focusEntry(tableRef.current, id));
  };
  useViewerKeys({
    table: tableRef,
    search: searchRef,
    isOpen: view.row !== null,
    step,
    onLive: () => toggleLive(view, setView),
    onExport: mayExport ? () => setIsExporting(true) : null,
  });

  const refresh = () => {
    setNow(new Date());
    void counted.refetch();
    if (!view.range) void list.refetch();
  };
  return (
    <>
      <PageHeader
        title="Audit log"
        lead={home ? `Who did what at ${home.name}.` : "Who did what, in every organization that you reach."}
      />
      <Toolbar
        view={view}
        setView={setView}
        input={input}
        look={look}
        now={now}
        searchRef={searchRef}
        onRefresh={refresh}
        isBusy={list.isFetching}
        onExport={mayExport ? () => setIsExporting(true) : null}
      />
      <Chips view={view} setView={setView} names={names} />
      {wrong.length > 0 && <Misread parts={wrong} />}
      <Histogram input={input} onSpan={({ from, to }) => setView({ range: null, from, to, ...FROM_START })} />
      <PrintSummary view={view} names={names} now={now} />
      <RangeLine
        view={view}
        now={now}
        shown={list.isSuccess ? entries.length : null}
        total={total}
        isCut={isCut(counted.data)}
      />
      {bar}
      <div className={classes.body} data-facets={view.facets || undefined}>
        {view.facets && <Facets view={view} setView={setView} input={input} />}
        <div className={classes.list}>
          {list.isPending && <EntrySkeleton />}
          {list.isError && <Failure error={list.error} onRetry={() => void list.refetch()} what="the audit log" />}
          {list.isSuccess && entries.length === 0 && <EmptyList view={view} setView={setView} />}
          {list.isSuccess && entries.length > 0 && (
            <>
              <EntryTable
                entries={entries}
                look={look}
                zone={zone}
                now={now}
                orgName={org || organizations.length < 2 ? null : orgName}
                openId={view.row}
                isStale={list.isPlaceholderData}
                onOpen={open}
                bodyRef={tableRef}
              />
              <Pager
                cursor={view.cursor}
                nextCursor={list.data.pagination.nextCursor}
                onPage={(cursor) => setView({ cursor, row: null }, { scroll: true })}
              />
            </>
          )}
        </div>
      </div>
      {usesDrawer && <EntryDrawer id={view.row} entries={entries} onStep={step} onOpen={open} onClose={close} />}
      {isExporting && (
        <ExportDialog
          view={view}
          input={input}
          now={now}
          total={total}
          isCut={isCut(counted.data)}
          names={names}
          onClose={() => setIsExporting(false)}
        />
      )}
    </>
  );
}
