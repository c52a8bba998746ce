import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useElapsed } from "@/components/format/elapsed";

type Options<T> = { key: readonly unknown[]; run: (signal: AbortSignal) => Promise<T>; isEnabled?: boolean };

/**
 * A live query to a device's agent. It is never retried automatically: each query costs the device work and is audited.
 */
export function useLiveQuery<T>({ key, run, isEnabled = true }: Options<T>) {
  const cache = useQueryClient();
  const queryKey = ["live", ...key];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => run(signal),
    enabled: isEnabled,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    refetchOnMount: false,
    placeholderData: keepPreviousData,
  });
  return {
    data: query.data,
    error: query.error,
    isRunning: query.isFetching,
    seconds: useElapsed(query.isFetching),
    wasCancelled: isEnabled && query.isPending && !query.isFetching,
    retry: () => void query.refetch(),
    cancel: () => void cache.cancelQueries({ queryKey }),
  };
}

export type LiveQuery = Omit<ReturnType<typeof useLiveQuery>, "data">;
