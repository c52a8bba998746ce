import { AsyncLocalStorage } from "node:async_hooks";
import { isDatabaseAway } from "./away";

/** Request of a transaction, and its observer. */
type Traced = {
  /** The request's id, once assigned by its door. */
  requestId?: string;
  /** Starts a span of the request's trace; the result ends it. Only if tracing is configured. */
  begin?: (name: string) => (error?: unknown) => void;
  /** The database was unreachable for this request. */
  databaseAway?: boolean;
};

/** Request of the current work. */
export const traced = new AsyncLocalStorage<Traced>();

/** Runs work and marks its request if the database was unreachable. */
export async function noteAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const request = traced.getStore();
    if (request && isDatabaseAway(error)) request.databaseAway = true;
    throw error;
  }
}

/** Names the current request: pg_stat_activity and PostgreSQL's log show its id for its transactions. */
export function nameRequest(requestId: string): string {
  const request = traced.getStore();
  if (request) request.requestId = requestId;
  return requestId;
}
