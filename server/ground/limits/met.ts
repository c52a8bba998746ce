import { AsyncLocalStorage } from "node:async_hooks";
import { type Limit, limitHeaders } from "@/server/ground/errors";

/** The limit that a request is the nearest to, of those that it met. */
const requests = new AsyncLocalStorage<{ nearest?: Limit }>();

const shareLeft = ({ remaining, limit }: Limit): number => remaining / limit;

/** Notes a limit that counts for the request that is being answered. */
export function noteLimit(limit: Limit): void {
  const request = requests.getStore();
  if (request && (!request.nearest || shareLeft(limit) < shareLeft(request.nearest))) request.nearest = limit;
}

/** Answers a request; `headers` says how near it came to a limit: the RateLimit headers, or none. */
export function withLimitsMet<T>(answer: (headers: () => Record<string, string>) => Promise<T>): Promise<T> {
  const request: { nearest?: Limit } = {};
  return requests.run(request, () => answer(() => (request.nearest ? limitHeaders(request.nearest) : {})));
}
