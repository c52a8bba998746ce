import { defaultShouldDehydrateQuery, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isObject } from "@/server/records";

const FRESH_MS = 30_000;

function statusOf(error: unknown): number | undefined {
  const data = isObject(error) ? error.data : undefined;
  return isObject(data) && typeof data.httpStatus === "number" ? data.httpStatus : undefined;
}

/** Codes that another try would not change. */
function isFinal(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status < 500;
}

/** Where the error says that the session ended while the page was open: sign in again and come back. */
export function leaveIfSignedOut(error: unknown): void {
  if (statusOf(error) !== 401 || typeof window === "undefined") return;
  const { pathname, search } = window.location;
  if (pathname !== "/login")
    window.location.assign(`/login?ended=1&callbackUrl=${encodeURIComponent(pathname + search)}`);
}

/** The query cache's rules, the same on the server (prefetch) and in the browser. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfSignedOut }),
    mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: (count, error) => !isFinal(error) && count < 1 },
      dehydrate: { shouldDehydrateQuery: defaultShouldDehydrateQuery },
    },
  });
}
