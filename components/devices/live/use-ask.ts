import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useElapsed } from "@/components/format/elapsed";

type Ask<T> = { key: readonly unknown[]; ask: (signal: AbortSignal) => Promise<T>; isWanted?: boolean };

/**
 * A question to the agent on a device: asked once, never by itself again, as every one is carried out over there and
 * stands in the audit log.
 */
export function useAsk<T>({ key, ask, isWanted = true }: Ask<T>) {
  const cache = useQueryClient();
  const queryKey = ["live", ...key];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask(signal),
    enabled: isWanted,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    refetchOnMount: false,
    placeholderData: keepPreviousData,
  });
  return {
    query,
    isAsking: query.isFetching,
    seconds: useElapsed(query.isFetching),
    wasCancelled: isWanted && query.isPending && !query.isFetching,
    again: () => void query.refetch(),
    cancel: () => void cache.cancelQueries({ queryKey }),
  };
}

export type Asked<T> = ReturnType<typeof useAsk<T>>;
