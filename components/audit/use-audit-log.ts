"use client";

import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { useZone } from "@/components/format/zone";
import { useRequestedAction } from "@/components/requested-action";
import { useTRPC } from "@/components/trpc";
import { isTyping, useKeyDown } from "@/components/ui/key-down";
import { joinValues, splitValues, termsOf } from "@/server/audit/query/values";
import type { ListedPage } from "@/server/audit/schema";
import type { Entry } from "./entry";
import { toggleLive, useLive } from "./live/live";
import { namesOf, titleOf } from "./state/describe-filters";
import type { RoutineFold } from "./state/lines";
import { useOpenEntry } from "./state/open-entry";
import { useTableSettings } from "./state/table-settings";
import { usePrint } from "./state/use-print";
import type { View } from "./state/view";
import { entriesQuery, exclusionsOf, isLive, routineQuery, totalQuery } from "./state/view";
import { type AuditList, useViewer, type Viewer } from "./state/viewer-context";
import { useViewerState, type ViewerState } from "./state/viewer-state";

const NAMED = ["actorId", "rawActorId", "resourceId"] as const;
type IdFilter = { name: (typeof NAMED)[number]; id: string };

/** The ids of actors and resources that the view filters by or excludes. */
const idsIn = (view: View): IdFilter[] => [
  ...NAMED.flatMap((name) => splitValues(view[name] ?? "").map((id) => ({ name, id }))),
  ...exclusionsOf(view).flatMap((one) => NAMED.flatMap((name) => (name === one.name ? { name, id: one.value } : []))),
];

const entriesIn = (pages: { data: ListedPage | undefined }[]): Entry[] => pages.flatMap(({ data }) => data?.data ?? []);

/**
 * Names for the ids in the filters: from the entries on the page, otherwise from the newest entry with that id
 * (excluded ids are never on the page).
 */
function useNames(view: View, shown: Entry[]): ReadonlyMap<string, string> {
  const trpc = useTRPC();
  const { organizations } = useOrg();
  const known = useMemo(() => namesOf(shown, organizations), [shown, organizations]);
  const others = useQueries({
    queries: idsIn(view)
      .filter(({ id }) => !known.has(id))
      .map(({ name, id }) =>
        trpc.audit.list.queryOptions(
          { [name]: joinValues([id]), limit: 1, skipCount: true },
          { staleTime: Number.POSITIVE_INFINITY },
        ),
      ),
    combine: entriesIn,
  });
  return useMemo(() => new Map([...namesOf(others), ...known]), [others, known]);
}

const NO_FOLDS: RoutineFold[] = [];
/** How often the folded telemetry of a live list is recounted. */
const LIVE_POLL_MS = 5_000;

/** The view's entries, including those that arrive while it is live, with their total and the names of their ids. */
function useAuditList(state: ViewerState, table: RefObject<HTMLTableElement | null>): AuditList {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { view, input, listed, setNow } = state;
  const { zone } = useZone();
  // A live list updates itself, and refetching on focus would move its rows. A preset range refetches when it advances.
  const refetchOnWindowFocus = !isLive(view) && view.range === null;
  const list = useQuery({ ...entriesQuery(trpc, listed), refetchOnWindowFocus });
  const counted = useQuery(totalQuery(trpc, input));
  const { entries, added, isHeld, bar } = useLive(state, { list, counted, table });
  const routine = useQuery({
    ...routineQuery(trpc, { listed, page: list.data, zone }),
    enabled: listed.routine !== undefined && list.isSuccess && !list.isPlaceholderData,
    refetchOnWindowFocus,
    // A recounted fold moves to its newest entry.
    refetchInterval: isLive(view) && !isHeld && LIVE_POLL_MS,
  });
  const folds = listed.routine !== undefined && !list.isPlaceholderData ? (routine.data?.folds ?? NO_FOLDS) : NO_FOLDS;
  const names = useNames(view, entries);
  const refresh = () => {
    setNow(new Date());
    void counted.refetch();
    void list.refetch();
    if (listed.routine !== undefined) void routine.refetch();
    void cache.invalidateQueries(trpc.audit.histogram.queryFilter());
    void cache.invalidateQueries(trpc.audit.facets.queryFilter());
  };
  return {
    list,
    entries,
    names,
    folds,
    isFoldPending: routine.isLoading,
    foldFailure:
      listed.routine !== undefined && routine.isLoadingError
        ? { error: routine.error, retry: () => void routine.refetch() }
        : null,
    bar,
    total: counted.data ? counted.data.pagination.total + added : null,
    isTruncated: counted.data?.truncated === true,
    refresh,
  };
}

type Steps = Record<string, 1 | -1 | undefined>;
const STEPS: Steps = { j: 1, k: -1 };
const DRAWER_STEPS: Steps = { ArrowRight: 1, ArrowLeft: -1 };
/** Only on an entry of the list; elsewhere these keys scroll. */
const ROW_STEPS: Steps = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus one entry up or down and returns the focused entry's id; starts at the top from outside the list. */
function moveFocus(table: HTMLTableElement | null, by: 1 | -1): string | undefined {
  const links = [...(table?.querySelectorAll<HTMLElement>("[data-entry], [data-fold]") ?? [])];
  const active = document.activeElement;
  const at = active instanceof HTMLElement ? links.indexOf(active) : -1;
  const next = at < 0 ? links[0] : links[at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next?.dataset.entry;
}

/**
 * j and k move through the entries, even behind the open drawer; an entry beside the list follows. "/" focuses the
 * search box, "e" exports, "l" toggles live updates, "f" toggles folding.
 */
export function useViewerKeys(): void {
  const { view, setView, table, search, settings, opened, exporting } = useViewer();
  useKeyDown((event) => {
    const { isBeside, step, follow, close } = opened;
    const isOpen = view.row !== null;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    const isCovered = isOpen && !isBeside;
    // A closing drawer is still in the document.
    const inOtherDialog = !isCovered && document.querySelector(`[role=dialog]:not([aria-label="Audit entry"])`);
    if (inOtherDialog) return;
    const isInList = event.target instanceof Element && event.target.matches("[data-entry], [data-fold]");
    const arrows = { ...(isOpen && DRAWER_STEPS), ...(!isCovered && isInList && ROW_STEPS) };
    const by = STEPS[event.key] ?? arrows[event.key];
    if (by && isOpen && !(isBeside && isInList)) step(by);
    else if (by) {
      const id = moveFocus(table.current, by);
      if (id && isOpen) follow(id);
    } else if (event.key === "Escape" && isOpen && isBeside) close();
    else if (isCovered) return;
    else if (event.key === "/") search.current?.focus();
    else if (event.key === "l") toggleLive(view, setView);
    else if (event.key === "f") settings.change({ fold: !settings.folds });
    else if (event.key === "e" && exporting.begin) exporting.begin();
    else return;
    event.preventDefault();
  });
}

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
  const words = useMemo(() => termsOf(view.q ?? "").flat(), [view.q]);
  const exporting = { isOpen: isExporting, begin: onExport, end: () => setIsExporting(false) };
  return { ...state, table, search, audit, settings, opened, printing, exporting, words };
}

function useTitle(view: View, names: ReadonlyMap<string, string>): void {
  const title = `${titleOf(view, names)} · Trailmark`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
