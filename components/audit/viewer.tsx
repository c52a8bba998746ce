"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useMemo, useRef, useState } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { PageHeader } from "@/components/ui/page-header";
import { useOpenEntry } from "./detail/open-entry";
import { FROM_START, invalidParams, viewParsers } from "./filters/address";
import { Chips } from "./filters/chips";
import { entriesQuery, isCut, totalQuery } from "./filters/entries-query";
import { FacetsSkeleton } from "./filters/facets-skeleton";
import { InvalidParams } from "./filters/invalid-params";
import { namesOf } from "./filters/labels";
import { toListInput } from "./filters/list-input";
import { RangeLine } from "./filters/range-line";
import { Histogram } from "./histogram/histogram";
import { isLive, useLive } from "./live/live";
import { toggleLive } from "./live/live-toggle";
import { PrintSummary } from "./print-summary";
import { EntryList } from "./table/entry-list";
import { useTableLook } from "./table/table-look";
import { Toolbar } from "./toolbar";
import classes from "./viewer.module.css";
import { useViewerKeys } from "./viewer-keys";

const EntryDrawer = dynamic(() => import("./detail/entry-drawer").then((m) => m.EntryDrawer), { ssr: false });
const ExportDialog = dynamic(() => import("./export/export-dialog").then((m) => m.ExportDialog), { ssr: false });
const Facets = dynamic(() => import("./filters/facets").then((m) => m.Facets), { loading: FacetsSkeleton });
const LIVE_HISTOGRAM_MS = 30_000;

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
  const { org, organizations } = useOrg();
  const home = org ?? (organizations.length === 1 ? organizations[0] : null);
  const table = useRef<HTMLTableElement>(null);
  const searchRef = useRef<HTMLInputElement>(null);

  const input = useMemo(() => toListInput(view, zone, now), [view, zone, now]);
  // A live list grows by itself, and must not move because the window came back.
  const list = useQuery({ ...entriesQuery(trpc, input), refetchOnWindowFocus: !isLive(view) });
  const counted = useQuery(totalQuery(trpc, input));
  const { entries, added, bar } = useLive({ view, input, list, counted, table });
  const total = counted.data ? counted.data.pagination.total + added : null;
  const names = useMemo(() => namesOf(view, entries), [view, entries]);
  const invalid = invalidParams(new URLSearchParams(useSearchParams()));

  const { open, step, close } = useOpenEntry({ view, setView, entries, table });
  useViewerKeys({
    table,
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
      {invalid.length > 0 && <InvalidParams parts={invalid} />}
      <Histogram
        input={input}
        everyMs={isLive(view) && LIVE_HISTOGRAM_MS}
        onSpan={({ from, to }) => setView({ range: null, from, to, ...FROM_START })}
      />
      <PrintSummary view={view} names={names} now={now} />
      <RangeLine
        view={view}
        now={now}
        shown={list.isSuccess ? entries.length : null}
        total={total}
        isCut={isCut(counted.data)}
        isLive={bar !== null}
      />
      {bar}
      <div className={classes.body} data-facets={view.facets || undefined}>
        {view.facets && <Facets view={view} setView={setView} input={input} />}
        <div className={classes.list}>
          <EntryList {...{ view, setView, list, entries, look, now, table }} onOpen={open} />
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
