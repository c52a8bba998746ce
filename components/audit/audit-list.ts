"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { RefObject } from "react";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { useLive } from "./live/live";
import { entriesQuery, isTruncated, totalQuery } from "./state/entries-query";
import { routineQuery } from "./state/folding";
import type { RoutineFold } from "./state/lines";
import { isLive } from "./state/list-input";
import { useNames } from "./state/names";
import type { AuditList } from "./state/viewer-context";
import type { ViewerState } from "./state/viewer-state";

const NO_FOLDS: RoutineFold[] = [];
/** How often the folded telemetry of a live list is recounted. */
const LIVE_POLL_MS = 5_000;

/** The view's entries, including those that arrive while it is live, with their total and the names of their ids. */
export function useAuditList(state: ViewerState, table: RefObject<HTMLTableElement | null>): AuditList {
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
    folds,
    isFoldPending: routine.isLoading,
    foldFailure:
      listed.routine !== undefined && routine.isLoadingError
        ? { error: routine.error, retry: () => void routine.refetch() }
        : null,
    bar,
    total: counted.data ? counted.data.pagination.total + added : null,
    isTruncated: isTruncated(counted.data),
    refresh,
  };
}
