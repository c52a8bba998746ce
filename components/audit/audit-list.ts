"use client";

import { useQuery } from "@tanstack/react-query";
import { type RefObject, useMemo } from "react";
import { useTRPC } from "@/components/trpc";
import { entriesQuery, isCut, totalQuery } from "./filters/entries-query";
import { namesOf } from "./filters/labels";
import { isLive, useLive } from "./live/live";
import { useViewer } from "./viewer-context";

/** The entries of the view, as they are or as they grow while it is live, with their total and the names of their ids. */
export function useAuditList(table: RefObject<HTMLTableElement | null>) {
  const trpc = useTRPC();
  const { view, input, setNow } = useViewer();
  // A live list grows by itself, and must not move because the window came back.
  const list = useQuery({ ...entriesQuery(trpc, input), refetchOnWindowFocus: !isLive(view) });
  const counted = useQuery(totalQuery(trpc, input));
  const { entries, added, bar } = useLive({ list, counted, table });
  const names = useMemo(() => namesOf(view, entries), [view, entries]);
  const refresh = () => {
    setNow(new Date());
    void counted.refetch();
    if (!view.range) void list.refetch();
  };
  return {
    list,
    entries,
    names,
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
