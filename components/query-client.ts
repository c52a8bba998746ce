import { defaultShouldDehydrateQuery, QueryClient } from "@tanstack/react-query";

const FRESH_MS = 30_000;

/** Codes that another try would not change. */
function isFinal(error: unknown): boolean {
  const status = (error as { data?: { httpStatus?: number } } | null)?.data?.httpStatus;
  return status !== undefined && status < 500;
}

/** The query cache's rules, the same on the server (prefetch) and in the browser. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: (count, error) => !isFinal(error) && count < 1 },
      dehydrate: { shouldDehydrateQuery: defaultShouldDehydrateQuery },
    },
  });
}
