"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { useCan } from "@/components/account/org";
import { useRequestedAction } from "@/components/requested-action";
import { wordsOf } from "@/server/audit/query/values";
import { useAuditList } from "./audit-list";
import { titleOf } from "./state/describe-filters";
import { useOpenEntry } from "./state/open-entry";
import { useTableSettings } from "./state/table-settings";
import { usePrint } from "./state/use-print";
import type { View } from "./state/view";
import type { Viewer } from "./state/viewer-context";
import { useViewerState } from "./state/viewer-state";

/** Loads the audit log's page, provides its actions, sets the document title and handles requests from the palette. */
export function useAuditLog(loadedAt: string): Viewer {
  const state = useViewerState(loadedAt);
  const { view, input } = state;
  const table = useRef<HTMLTableElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const audit = useAuditList(state, table);
  const settings = useTableSettings(state);
  const opened = useOpenEntry(state, { entries: audit.entries, table });
  const printing = usePrint(input, audit.entries);
  const [isExporting, setIsExporting] = useState(false);
  const onExport = useCan("audit:export") ? () => setIsExporting(true) : null;
  useRequestedAction("export", onExport);
  useRequestedAction("print", printing.begin);
  useTitle(view, audit.names);
  const words = useMemo(() => wordsOf(view.q ?? ""), [view.q]);
  const exporting = { isOpen: isExporting, begin: onExport, end: () => setIsExporting(false) };
  return { ...state, table, search, audit, settings, opened, printing, exporting, words };
}

/** Sets the document title. */
function useTitle(view: View, names: ReadonlyMap<string, string>): void {
  const title = `${titleOf(view, names)} · Trailmark`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
