import { AsyncLocalStorage } from "node:async_hooks";

/** What a transaction is for, and who wants to hear of it. */
type Traced = {
  /** The request's id, once its door has given it one. */
  requestId?: string;
  /** Begins a part of the request's trace; the answer ends it. Only where traces are configured. */
  begin?: (name: string) => (error?: unknown) => void;
};

/** The request that the present work belongs to. */
export const traced = new AsyncLocalStorage<Traced>();

/** Names the request that is being answered: its transactions bear the id in pg_stat_activity and PostgreSQL's log. */
export function nameRequest(requestId: string): string {
  const request = traced.getStore();
  if (request) request.requestId = requestId;
  return requestId;
}
