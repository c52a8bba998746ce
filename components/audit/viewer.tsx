"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { PanelSkeleton } from "./detail/detail-skeleton";
import { useEntryKeys } from "./detail/entry-keys";
import { FacetsSkeleton } from "./filters/facets-skeleton";
import { SearchedWords } from "./marked";
import { PrintSheet } from "./print/print-sheet";
import { EntryList } from "./table/entry-list";
import { type AuditLog, useAuditLog } from "./use-audit-log";
import classes from "./viewer.module.css";
import { useViewer, ViewerProvider } from "./viewer-context";
import { ViewerHead } from "./viewer-head";
import { useViewerKeys } from "./viewer-keys";

const EntryDrawer = dynamic(() => import("./detail/entry-drawer").then((m) => m.EntryDrawer), {
  ssr: false,
  loading: PanelSkeleton,
});
const ExportDialog = dynamic(() => import("./export/export-dialog").then((m) => m.ExportDialog), { ssr: false });
const Facets = dynamic(() => import("./filters/facets").then((m) => m.Facets), { loading: FacetsSkeleton });

/** The audit log: search and filters above a list with one sentence per entry. Its state is in the URL. */
export const Viewer = ({ loadedAt }: { loadedAt: string }) => (
  <ViewerProvider loadedAt={loadedAt}>
    <AuditLogPage />
  </ViewerProvider>
);

function AuditLogPage() {
  const { view } = useViewer();
  const log = useAuditLog();
  useViewerKeys(log);
  useEntryKeys(view.row);
  const { audit, printing, exporting, opened } = log;
  return (
    <div className={view.row !== null && opened.isBeside ? classes.beside : undefined}>
      <div className={classes.whole}>
        <ViewerHead log={log} />
        <Entries log={log} />
        {printing.print && <PrintSheet print={printing.print} names={audit.names} />}
      </div>
      <OpenEntry log={log} />
      {exporting.isOpen && <ExportDialog audit={audit} onClose={exporting.end} />}
    </div>
  );
}

function Entries({ log: { audit, settings, table, opened, words } }: { log: AuditLog }) {
  const { view } = useViewer();
  return (
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
            onOpen={opened.open}
          />
        </SearchedWords>
      </div>
    </div>
  );
}

/** The drawer is loaded when the first entry is opened. */
function OpenEntry({ log: { audit, opened } }: { log: AuditLog }) {
  const { view } = useViewer();
  const [usesDrawer, setUsesDrawer] = useState(view.row !== null);
  if (view.row !== null && !usesDrawer) setUsesDrawer(true);
  if (!usesDrawer) return null;
  return (
    <EntryDrawer
      id={view.row}
      entries={audit.entries}
      isBeside={opened.isBeside}
      panel={opened.panel}
      onStep={opened.step}
      onOpen={opened.open}
      onClose={opened.close}
    />
  );
}
