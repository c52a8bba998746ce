"use client";

import { useQuery } from "@tanstack/react-query";
import type { RefObject } from "react";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { entriesQuery, isCut, totalQuery } from "./filters/entries-query";
import { isLive } from "./filters/list-input";
import { useNames } from "./filters/names";
import { routineQuery } from "./fold/folding";
import type { RoutineFold } from "./fold/lines";
import { useLive } from "./live/live";
import { useViewer } from "./viewer-context";

const NO_FOLDS: RoutineFold[] = [];
/** How often folded telemetry of a live list is counted again. */
const LIVE_POLL_MS = 5_000;

/** The entries of the view, as they are or as they grow while it is live, with their total and the names of their ids. */
export function useAuditList(table: RefObject<HTMLTableElement | null>) {
  const trpc = useTRPC();
  const { view, input, listed, setNow } = useViewer();
  const { zone } = useZone();
  // A live list updates automatically, and must not move because the window regains focus.
  const list = useQuery({ ...entriesQuery(trpc, listed), refetchOnWindowFocus: !isLive(view) });
  const counted = useQuery(totalQuery(trpc, input));
  const routine = useQuery({
    ...routineQuery(trpc, { listed, page: list.data, zone }),
    enabled: listed.routine !== undefined && list.isSuccess && !list.isPlaceholderData,
    refetchInterval: isLive(view) && LIVE_POLL_MS,
  });
  const folds = listed.routine !== undefined && !list.isPlaceholderData ? (routine.data?.folds ?? NO_FOLDS) : NO_FOLDS;
  const { entries, added, bar } = useLive({ list, counted, table });
  const names = useNames(entries);
  const refresh = () => {
    setNow(new Date());
    void counted.refetch();
    if (!view.range) void list.refetch();
  };
  return {
    list,
    entries,
    names,
    /** Routine telemetry that the page's list leaves out. */
    folds,
    /** True until it is known. */
    isFoldPending: routine.isLoading,
    /** The live view's bar; null while the list is not live. */
    bar,
    /** null while it is counted. */
    total: counted.data ? counted.data.pagination.total + added : null,
    /** True when only the newest entries were searched and counted. */
    isCut: isCut(counted.data),
    refresh,
  };
}

export type AuditList = ReturnType<typeof useAuditList>;
