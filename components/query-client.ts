import { defaultShouldDehydrateQuery, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isObject } from "@/server/ground/records";

const STALE_TIME_MS = 30_000;

function statusOf(error: unknown): number | undefined {
  const data = isObject(error) ? error.data : undefined;
  return isObject(data) && typeof data.httpStatus === "number" ? data.httpStatus : undefined;
}

/** True for errors that a retry would not change. */
function isPermanent(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status < 500;
}

/** Retries after a rate limit, so that the person's other requests run first. */
const BUSY_RETRIES = 2;

/** Only in the browser: rendering does not wait for retries. */
function shouldRetry(count: number, error: unknown): boolean {
  if (statusOf(error) === 429) return typeof window !== "undefined" && count < BUSY_RETRIES;
  return !isPermanent(error) && count < 1;
}

/** Goes to the sign-in page and back when the session has ended. */
export function leaveIfSignedOut(error: unknown): void {
  if (statusOf(error) !== 401 || typeof window === "undefined") return;
  const { pathname, search } = window.location;
  if (pathname !== "/login")
    window.location.assign(`/login?ended=1&callbackUrl=${encodeURIComponent(pathname + search)}`);
}

/** The query client, configured the same on the server (for prefetching) and in the browser. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfSignedOut }),
    mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
    defaultOptions: {
      queries: { staleTime: STALE_TIME_MS, retry: shouldRetry },
      dehydrate: { shouldDehydrateQuery: defaultShouldDehydrateQuery },
    },
  });
}
