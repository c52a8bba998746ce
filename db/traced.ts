import { AsyncLocalStorage } from "node:async_hooks";
import { isDatabaseAway } from "./away";

/** The purpose of a transaction, and its observer. */
type Traced = {
  /** The request's id, once its door has given it one. */
  requestId?: string;
  /** Begins a part of the request's trace; the answer ends it. Only where traces are configured. */
  begin?: (name: string) => (error?: unknown) => void;
  /** The database could not be reached for it. */
  databaseAway?: boolean;
};

/** The request that the present work belongs to. */
export const traced = new AsyncLocalStorage<Traced>();

/** Runs the work and notes with the request when the database was away for it. */
export async function noteAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const request = traced.getStore();
    if (request && isDatabaseAway(error)) request.databaseAway = true;
    throw error;
  }
}

/** Names the request that is being answered: its transactions show the id in pg_stat_activity and PostgreSQL's log. */
export function nameRequest(requestId: string): string {
  const request = traced.getStore();
  if (request) request.requestId = requestId;
  return requestId;
}
