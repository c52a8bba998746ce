import { trackStream } from "@/server/ground/background/streams";
import { AppError } from "@/server/ground/errors";
import { type CommandResult, LIVE_QUERY_TIMEOUT_MS } from "./schema";

export const disconnected = () =>
  new AppError("agent_disconnected", "The agent disconnected before it had answered. Ask again once it is back.");
/** The requester has waited the maximum time, regardless of which command was late. */
const timedOut = () =>
  new AppError("agent_timeout", `The agent did not answer within ${LIVE_QUERY_TIMEOUT_MS / 1000} seconds.`);
const cancelled = () => new AppError("unavailable", "The query was cancelled.");
const stopping = () =>
  new AppError("unavailable", "The server is restarting. Ask again.", { headers: { "Retry-After": "1" } });

export type PendingQuery = {
  agentId: string;
  /** Known once the query is queued. */
  streamId?: string;
  resolve: (result: CommandResult) => void;
  reject: (error: AppError) => void;
};
/** onFailed is called once if the query fails, for any reason. */
type Wait = { agentId: string; timeoutMs: number; signal?: AbortSignal | undefined; onFailed: () => void };

/** Queries awaited by requesters of this process. Each ends once: answered, failed, late or withdrawn. */
export class PendingQueries {
  readonly #open = new Map<string, PendingQuery>();
  #untrack: (() => void) | undefined;

  get size(): number {
    return this.#open.size;
  }

  get(id: string): PendingQuery | undefined {
    return this.#open.get(id);
  }

  wait(id: string, { agentId, timeoutMs, signal, onFailed }: Wait): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      const fail = (error: AppError) => {
        if (!end()) return;
        reject(error);
        onFailed();
      };
      const onAbort = () => fail(cancelled());
      const timer = setTimeout(() => fail(timedOut()), timeoutMs);
      const end = (): boolean => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        return this.#remove(id);
      };
      this.#add(id, { agentId, reject: fail, resolve: (result) => void (end() && resolve(result)) });
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Fails all commands of a closed stream. */
  failStream(streamId: string): void {
    for (const query of [...this.#open.values()]) if (query.streamId === streamId) query.reject(disconnected());
  }

  /** Fails all queries at shutdown, which must not wait half a minute. */
  failAll(): void {
    for (const query of [...this.#open.values()]) query.reject(stopping());
  }

  #add(id: string, query: PendingQuery): void {
    if (this.#open.size === 0) this.#untrack = trackStream(() => this.failAll());
    this.#open.set(id, query);
  }

  #remove(id: string): boolean {
    const removed = this.#open.delete(id);
    if (removed && this.#open.size === 0) this.#untrack?.();
    return removed;
  }
}
