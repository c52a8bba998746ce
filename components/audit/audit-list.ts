"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { RefObject } from "react";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { entriesQuery, isTruncated, totalQuery } from "./filters/entries-query";
import { isLive } from "./filters/list-input";
import { useNames } from "./filters/names";
import { routineQuery } from "./fold/folding";
import type { RoutineFold } from "./fold/lines";
import { useLive } from "./live/live";
import type { ViewerState } from "./viewer-state";

const NO_FOLDS: RoutineFold[] = [];
/** How often the folded telemetry of a live list is recounted. */
const LIVE_POLL_MS = 5_000;

/** The view's entries, including those that arrive while it is live, with their total and the names of their ids. */
export function useAuditList(state: ViewerState, table: RefObject<HTMLTableElement | null>) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { view, input, listed, setNow } = state;
  const { zone } = useZone();
  // A live list updates itself; refetching on window focus would move its rows. A ready-made range moves, and is read then.
  const refetchOnWindowFocus = !isLive(view) && view.range === null;
  const list = useQuery({ ...entriesQuery(trpc, listed), refetchOnWindowFocus });
  const counted = useQuery(totalQuery(trpc, input));
  const { entries, added, isHeld, bar } = useLive(state, { list, counted, table });
  const routine = useQuery({
    ...routineQuery(trpc, { listed, page: list.data, zone }),
    enabled: listed.routine !== undefined && list.isSuccess && !list.isPlaceholderData,
    refetchOnWindowFocus,
    // A fold that is recounted moves to its newest entry.
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
    /** Routine telemetry that is folded on this page. */
    folds,
    /** True until the folds have loaded. */
    isFoldPending: routine.isLoading,
    /** Set if the folds could not be loaded: the page lacks its telemetry. */
    foldFailure:
      listed.routine !== undefined && routine.isLoadingError
        ? { error: routine.error, retry: () => void routine.refetch() }
        : null,
    /** The live view's status bar; null while the list is not live. */
    bar,
    /** null while counting. */
    total: counted.data ? counted.data.pagination.total + added : null,
    /** True when only the newest entries were searched and counted. */
    isTruncated: isTruncated(counted.data),
    refresh,
  };
}

export type AuditList = ReturnType<typeof useAuditList>;
