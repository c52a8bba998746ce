"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { PanelSkeleton } from "./detail/detail-skeleton";
import { useEntryKeys } from "./detail/entry-keys";
import { FacetsSkeleton } from "./filters/facets-skeleton";
import { SearchedWords } from "./marked";
import { PrintSheet } from "./print/print-sheet";
import { useViewer, ViewerContext } from "./state/viewer-context";
import { EntryList } from "./table/entry-list";
import { useAuditLog, useViewerKeys } from "./use-audit-log";
import classes from "./viewer.module.css";
import { ViewerHead } from "./viewer-head";

const EntryDrawer = dynamic(() => import("./detail/entry-drawer").then((m) => m.EntryDrawer), {
  ssr: false,
  loading: PanelSkeleton,
});
const ExportDialog = dynamic(() => import("./export/export-dialog").then((m) => m.ExportDialog), { ssr: false });
const Facets = dynamic(() => import("./filters/facets").then((m) => m.Facets), { loading: FacetsSkeleton });

/** The audit log: search and filters above a list with one sentence per entry. Its state is in the URL. */
export const Viewer = ({ loadedAt }: { loadedAt: string }) => (
  <ViewerContext value={useAuditLog(loadedAt)}>
    <AuditLogPage />
  </ViewerContext>
);

function AuditLogPage() {
  const { view, printing, exporting, opened } = useViewer();
  useViewerKeys();
  useEntryKeys(view.row);
  return (
    <div className={view.row !== null && opened.isBeside ? classes.beside : undefined}>
      <div className={classes.whole}>
        <ViewerHead />
        <Entries />
        {printing.print && <PrintSheet print={printing.print} />}
      </div>
      <OpenEntry />
      {exporting.isOpen && <ExportDialog onClose={exporting.end} />}
    </div>
  );
}

function Entries() {
  const { view, words } = useViewer();
  return (
    <div className={classes.body} data-facets={view.facets || undefined}>
      {view.facets && <Facets />}
      <div className={classes.list}>
        <SearchedWords value={words}>
          <EntryList />
        </SearchedWords>
      </div>
    </div>
  );
}

/** The drawer is loaded when the first entry is opened. */
function OpenEntry() {
  const { view } = useViewer();
  const [usesDrawer, setUsesDrawer] = useState(view.row !== null);
  if (view.row !== null && !usesDrawer) setUsesDrawer(true);
  return usesDrawer && <EntryDrawer />;
}
