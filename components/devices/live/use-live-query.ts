import {
  isCancelledError,
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  type QueryObserverResult,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useElapsed } from "@/components/format/elapsed";
import { useTRPC } from "@/components/trpc";
import { problemOf } from "@/components/ui/notice";

type Run<T> = (signal: AbortSignal) => Promise<T>;
type Options<T> = { key: readonly unknown[]; run: Run<T>; isEnabled?: boolean };

/** Never asked again automatically, not even after it was cancelled: each query costs the device work and is audited. */
export const liveOptions = <T>({ key, run, isEnabled = true }: Options<T>) =>
  queryOptions({
    queryKey: ["live", ...key],
    queryFn: ({ signal }) => run(signal),
    enabled: isEnabled,
    retry: false,
    staleTime: "static",
    refetchOnReconnect: false,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });

/** Cancels a query. Its state says so then: one that was reverted would look as if it had never been asked again. */
export const cancelLive = (cache: QueryClient, queryKey: QueryKey): Promise<void> =>
  cache.cancelQueries({ queryKey }, { revert: false });

/**
 * The answer of a live query, when it came (ISO 8601; null where none is shown or it is another question's), and how far
 * the query is. That of the question before is shown while the next one comes, no longer; that of the same question
 * stays when asking again is cancelled.
 */
export function answerOf<T>(query: QueryObserverResult<T>) {
  const { data, error, dataUpdatedAt, isFetching: isRunning, isPending, isPlaceholderData, isEnabled } = query;
  const isCancelled = isCancelledError(error);
  const wasCancelled = isEnabled && !isRunning && (isPending || isPlaceholderData || isCancelled);
  return {
    data: wasCancelled && isPlaceholderData ? undefined : data,
    answeredAt: isPlaceholderData || !dataUpdatedAt ? null : new Date(dataUpdatedAt).toISOString(),
    error: isCancelled ? null : error,
    isRunning,
    wasCancelled,
  };
}

/** Runs a query and tells when the device turns out to be offline. */
export const noticingOffline =
  <T>(run: Run<T>, onOffline: () => void): Run<T> =>
  async (signal) => {
    try {
      return await run(signal);
    } catch (error) {
      if (problemOf(error)?.code === "device_offline") onOffline();
      throw error;
    }
  };

/** A live query to a device's agent. What the page says of a device is read again when it turns out to be offline. */
export function useLiveQuery<T>({ run, ...options }: Options<T>) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const readAgain = () => void cache.invalidateQueries(trpc.devices.get.queryFilter());
  const wanted = liveOptions({ ...options, run: noticingOffline(run, readAgain) });
  const query = useQuery(wanted);
  return {
    ...answerOf(query),
    seconds: useElapsed(query.isFetching),
    retry: () => void query.refetch(),
    cancel: () => void cancelLive(cache, wanted.queryKey),
  };
}

export type LiveQuery = Omit<ReturnType<typeof useLiveQuery>, "data">;
