"use client";

import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useMemo } from "react";
import { useOrg } from "@/components/account/org";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { joinValues, splitValues } from "@/server/audit/query/values";
import type { FullPage } from "@/server/audit/schema";
import type { Entry } from "./entry";
import { useLive } from "./live/live";
import { namesOf } from "./state/describe-filters";
import type { RoutineFold } from "./state/lines";
import { entriesQuery, exclusionsOf, isLive, isTruncated, routineQuery, totalQuery, type View } from "./state/view";
import type { AuditList } from "./state/viewer-context";
import type { ViewerState } from "./state/viewer-state";

const NAMED = ["actorId", "rawActorId", "resourceId"] as const;
type IdFilter = { name: (typeof NAMED)[number]; id: string };

/** The ids of actors and resources that the view filters by or excludes. */
const idsIn = (view: View): IdFilter[] => [
  ...NAMED.flatMap((name) => splitValues(view[name] ?? "").map((id) => ({ name, id }))),
  ...exclusionsOf(view).flatMap((one) => NAMED.flatMap((name) => (name === one.name ? { name, id: one.value } : []))),
];

const entriesIn = (pages: { data: FullPage | undefined }[]): Entry[] => pages.flatMap(({ data }) => data?.data ?? []);

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
