"use client";

import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { useEffect, useMemo, useRef, useState } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { useRequestedAct } from "@/components/requested-act";
import { PageHeader } from "@/components/ui/page-header";
import { wordsOf } from "@/server/audit/query/word-list";
import { useAuditList } from "./audit-list";
import { Chips } from "./chips";
import { PinBar } from "./compare/pin-bar";
import { PanelSkeleton } from "./detail/detail-skeleton";
import { useEntryKeys } from "./detail/entry-keys";
import { useOpenEntry } from "./detail/open-entry";
import { invalidParams } from "./filters/address";
import { FacetsSkeleton } from "./filters/facets-skeleton";
import { InvalidParams } from "./filters/invalid-params";
import { RangeLine } from "./filters/range-line";
import { Histogram } from "./histogram/histogram";
import { toggleLive } from "./live/live-toggle";
import { SearchedWords } from "./marked";
import { PrintButton } from "./print/print-button";
import { PrintSheet } from "./print/print-sheet";
import { usePrint } from "./print/use-print";
import { InvalidQualifiersNote } from "./search/invalid-qualifiers-note";
import { EntryList } from "./table/entry-list";
import { useTableSettings } from "./table/table-settings";
import { titleOf } from "./title";
import { Toolbar } from "./toolbar";
import classes from "./viewer.module.css";
import { useViewer, ViewerProvider } from "./viewer-context";
import { useViewerKeys } from "./viewer-keys";

const EntryDrawer = dynamic(() => import("./detail/entry-drawer").then((m) => m.EntryDrawer), {
  ssr: false,
  loading: PanelSkeleton,
});
const ExportDialog = dynamic(() => import("./export/export-dialog").then((m) => m.ExportDialog), { ssr: false });
const Facets = dynamic(() => import("./filters/facets").then((m) => m.Facets), { loading: FacetsSkeleton });

/** The audit log: search and filters above, a sentence per entry, the chosen one in a drawer. The address is its state. */
export const Viewer = ({ loadedAt }: { loadedAt: string }) => (
  <ViewerProvider loadedAt={loadedAt}>
    <AuditLog />
  </ViewerProvider>
);

function AuditLog() {
  const { view, setView, input } = useViewer();
  const table = useRef<HTMLTableElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const audit = useAuditList(table);
  const settings = useTableSettings();
  // Of a phone alone, where the entries come first.
  const [showsChart, setShowsChart] = useState(false);
  const [isExporting, setIsExporting] = useState(false);
  const [usesDrawer, setUsesDrawer] = useState(view.row !== null);
  if (view.row !== null && !usesDrawer) setUsesDrawer(true);
  const onExport = useCan("audit:export") ? () => setIsExporting(true) : null;
  useRequestedAct("export", onExport);
  const printing = usePrint(input, audit.entries);
  useRequestedAct("print", printing.begin);
  useTitle(audit.names);
  const { open, step, follow, close, isBeside, panel } = useOpenEntry(audit.entries, table);
  const onLive = () => toggleLive(view, setView);
  const onFold = () => settings.change({ fold: !settings.folds });
  const isOpen = view.row !== null;
  useViewerKeys({ table, search, isOpen, isBeside, step, follow, close, onLive, onFold, onExport });
  useEntryKeys(view.row);
  const words = useMemo(() => wordsOf(view.q ?? ""), [view.q]);
  const invalid = invalidParams(new URLSearchParams(useSearchParams()));
  return (
    <div className={isOpen && isBeside ? classes.beside : undefined}>
      <div className={classes.whole}>
        <div className={classes.head}>
          <Header />
        </div>
        <Toolbar
          settings={settings}
          chart={{ isShown: showsChart, toggle: () => setShowsChart(!showsChart) }}
          search={search}
          isBusy={audit.list.isFetching}
          onRefresh={audit.refresh}
          onExport={onExport}
          print={<PrintButton isPreparing={printing.isPreparing} onPrint={() => void printing.begin()} />}
        />
        <Chips names={audit.names} settings={settings} />
        {invalid.length > 0 && <InvalidParams parts={invalid} />}
        <InvalidQualifiersNote />
        <Histogram isUnfolded={showsChart} />
        <RangeLine audit={audit} />
        {audit.bar}
        <PinBar openId={view.row} />
        <div className={classes.body} data-facets={view.facets || undefined}>
          {view.facets && <Facets />}
          <div className={classes.list}>
            <SearchedWords value={words}>
              <EntryList
                list={audit.list}
                entries={audit.entries}
                folds={audit.isFoldPending ? null : audit.folds}
                settings={settings}
                table={table}
                onOpen={open}
              />
            </SearchedWords>
          </div>
        </div>
        {printing.print && <PrintSheet print={printing.print} names={audit.names} />}
      </div>
      {usesDrawer && (
        <EntryDrawer
          id={view.row}
          entries={audit.entries}
          isBeside={isBeside}
          panel={panel}
          onStep={step}
          onOpen={open}
          onClose={close}
        />
      )}
      {isExporting && <ExportDialog audit={audit} onClose={() => setIsExporting(false)} />}
    </div>
  );
}

/** Keeps the tab's title to what is shown. */
function useTitle(names: ReadonlyMap<string, string>): void {
  const { view } = useViewer();
  const title = `${titleOf(view, names)} · Trailmark`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

function Header() {
  const { org, organizations, several } = useOrg();
  const home = org ?? (organizations.length === 1 ? organizations[0] : null);
  const lead = home
    ? `Who did what at ${home.name}.`
    : several.length > 0
      ? `Who did what in ${several.length} of your organizations.`
      : "Who did what, in every organization you can see.";
  return <PageHeader title="Audit log" lead={lead} />;
}
