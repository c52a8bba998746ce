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
import { type inferParserType, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { bytes, count, counted } from "@/components/format/amounts";
import { useElapsed } from "@/components/format/clock";
import { instantParam } from "@/components/format/instant-param";
import { useTRPC } from "@/components/trpc";
import { problemOf } from "@/components/ui/notice";
import { type Descriptor, LIVE_LEVELS, type Searched } from "@/server/devices/live/schema";
import { keysOf } from "@/server/ground/records";

const filterParsers = {
  liveLevel: parseAsStringLiteral(LIVE_LEVELS),
  liveSource: parseAsString,
  liveEvent: parseAsInteger,
  start: instantParam,
  end: instantParam,
};

export const liveParsers = {
  log: parseAsString,
  livePage: parseAsInteger.withDefault(1),
  ...filterParsers,
  record: parseAsInteger,
};

export type LiveFilters = inferParserType<typeof filterParsers>;
type LiveView = inferParserType<typeof liveParsers>;

/** Compares by value: equal dates are different objects. */
export const isSame = (a: LiveFilters, b: LiveFilters): boolean =>
  keysOf(filterParsers).every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));

/** The URL parameters as a live query. */
export const toInput = (view: LiveView) => ({
  page: view.livePage,
  level: view.liveLevel ?? undefined,
  source: view.liveSource ?? undefined,
  eventId: view.liveEvent ?? undefined,
  startTime: view.start?.toISOString(),
  endTime: view.end?.toISOString(),
});

/** A log, and the part that the device searched; `at` formats a time. */
type Part = { log: string; searched: Searched | undefined; hasEnd: boolean; at: (iso: string) => string };

/** True if matches may exist outside the searched part. */
export const isPart = (searched: Searched | undefined): boolean =>
  Boolean(searched && (searched.entries || searched.bytes || searched.from));

/** The searched log or part in words that follow "in". */
export function searchedText({ log, searched = {}, hasEnd, at }: Part): string {
  const { entries, bytes: size, from, to } = searched;
  if (entries) return `the newest ${count(entries)} entries of ${log}${hasEnd ? " before the chosen end" : ""}`;
  if (size) return `the newest ${bytes(size)} of ${log}`;
  if (from && to) return `${log} between ${at(from)} and ${at(to)}`;
  return from ? `${log} since ${at(from)}` : log;
}

/** Number of matching events in the searched part. */
export function totalText(total: number, part: Part): string {
  const events = counted(total, "event");
  if (part.searched?.matches) return `At least ${events}`;
  return isPart(part.searched) ? `${events} in ${searchedText(part)}` : `${events} in total`;
}

/** Number of events in a log; "at least" if only a part was counted. */
export const recordCountText = ({ recordCount, searched }: Pick<Descriptor, "recordCount" | "searched">): string =>
  searched ? `At least ${count(recordCount)}` : count(recordCount);

type Run<T> = (signal: AbortSignal) => Promise<T>;
type Options<T> = { key: readonly unknown[]; run: Run<T>; isEnabled?: boolean };

/** Never repeated automatically, even after a cancel: each query costs the device work and is audited. */
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

/** Cancels a query and keeps "canceled" in its state; reverting would look as if it had never been repeated. */
export const cancelLive = (cache: QueryClient, queryKey: QueryKey): Promise<void> =>
  cache.cancelQueries({ queryKey }, { revert: false });

/**
 * Answer of a live query, its time (ISO 8601; null if none, or of another query), and progress. The previous query's
 * answer stays only while the next is loading; that of the same query also stays after a cancel.
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

/** Runs a query and reports if the device turns out to be offline. */
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

/** Live query to a device's agent. If the device turns out to be offline, the page refetches it. */
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
