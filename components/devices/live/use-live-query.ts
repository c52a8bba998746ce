import {
  keepPreviousData,
  type QueryObserverResult,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useElapsed } from "@/components/format/elapsed";

type Options<T> = { key: readonly unknown[]; run: (signal: AbortSignal) => Promise<T>; isEnabled?: boolean };

/** Never retried automatically: each query costs the device work and is audited. */
export const liveOptions = <T>({ key, run, isEnabled = true }: Options<T>) =>
  queryOptions({
    queryKey: ["live", ...key],
    queryFn: ({ signal }) => run(signal),
    enabled: isEnabled,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    refetchOnMount: false,
    placeholderData: keepPreviousData,
  });

/** The answer of a live query, and how far it is. That of the question before is shown while the next one comes, no longer. */
export function answerOf<T>(query: QueryObserverResult<T>) {
  const { data, error, isFetching: isRunning, isPending, isPlaceholderData, isEnabled } = query;
  const wasCancelled = isEnabled && !isRunning && (isPending || isPlaceholderData);
  return { data: wasCancelled ? undefined : data, error, isRunning, wasCancelled };
}

/** A live query to a device's agent. */
export function useLiveQuery<T>(options: Options<T>) {
  const cache = useQueryClient();
  const wanted = liveOptions(options);
  const query = useQuery(wanted);
  return {
    ...answerOf(query),
    seconds: useElapsed(query.isFetching),
    retry: () => void query.refetch(),
    cancel: () => void cache.cancelQueries({ queryKey: wanted.queryKey }),
  };
}

export type LiveQuery = Omit<ReturnType<typeof useLiveQuery>, "data">;
