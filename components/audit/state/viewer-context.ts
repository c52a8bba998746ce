"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { createContext, type ReactNode, type RefObject, useContext } from "react";
import type { Entry } from "@/components/audit/entry";
import type { ListedPage } from "@/server/audit/schema";
import type { RoutineFold } from "./lines";
import type { OpenEntry } from "./open-entry";
import type { TableSettings } from "./table-settings";
import type { Printing } from "./use-print";
import type { ViewerState } from "./viewer-state";

/** The list as it is shown. */
export type AuditList = {
  list: UseQueryResult<ListedPage, unknown>;
  /** The page's entries, including live arrivals. */
  entries: Entry[];
  names: ReadonlyMap<string, string>;
  /** Routine telemetry that is folded on this page. */
  folds: RoutineFold[];
  /** True until the folds have loaded. */
  isFoldPending: boolean;
  /** Set if the folds could not be loaded: the page lacks its telemetry. */
  foldFailure: { error: unknown; retry: () => void } | null;
  /** The live view's status bar; null while the list is not live. */
  bar: ReactNode;
  /** null while counting. */
  total: number | null;
  /** True when only the newest entries were searched and counted. */
  isTruncated: boolean;
  refresh: () => void;
};

/** Everything that the viewer's components share: the URL's state, the list, and the actions on it. */
export type Viewer = ViewerState & {
  table: RefObject<HTMLTableElement | null>;
  search: RefObject<HTMLInputElement | null>;
  audit: AuditList;
  settings: TableSettings;
  opened: OpenEntry;
  printing: Printing;
  /** begin is null for a user who may not export. */
  exporting: { isOpen: boolean; begin: (() => void) | null; end: () => void };
  /** Search words, to be highlighted. */
  words: string[];
};

export const ViewerContext = createContext<Viewer | null>(null);

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error("useViewer belongs under ViewerContext");
  return viewer;
}
