import { AsyncLocalStorage } from "node:async_hooks";
import { type Limit, limitHeaders } from "@/server/ground/errors";

/** The nearest limit of a request. */
const requests = new AsyncLocalStorage<{ nearest?: Limit }>();

const shareLeft = ({ remaining, limit }: Limit): number => remaining / limit;

/** Records a limit that applies to the current request. */
export function noteLimit(limit: Limit): void {
  const request = requests.getStore();
  if (request && (!request.nearest || shareLeft(limit) < shareLeft(request.nearest))) request.nearest = limit;
}

/** Answers a request; `headers` gives the RateLimit headers of the nearest limit, if any. */
export function withLimitsMet<T>(answer: (headers: () => Record<string, string>) => Promise<T>): Promise<T> {
  const request: { nearest?: Limit } = {};
  return requests.run(request, () => answer(() => (request.nearest ? limitHeaders(request.nearest) : {})));
}
