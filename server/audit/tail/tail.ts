import { type TrackedEnvelope, tracked } from "@trpc/server";
import { tenant } from "@/db/client";
import { reachedBy } from "@/server/audit/query/rows";
import { callerChanges, Signal, trackStream, watchCallers } from "@/server/ground/background/streams";
import type { Ctx, Scope } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { acquireSlot } from "@/server/ground/limits/concurrency";
import { operation } from "@/server/ground/operation";
import { advance, encodePosition, nextSpans, type Position, readSpans, rowsBehind, startAt } from "./position";
import { MAX_TAIL_BACKLOG, TAIL_CHECK_MS, TAIL_SLOTS, type TailInput, type TailMessage, tailInput } from "./schema";
import { headWatch } from "./watch";

type Message = TrackedEnvelope<TailMessage>;
/** An open live view: sorted organizations, its wake signal, its stop flag, poll interval (ms). */
type View = {
  orgIds: readonly string[];
  wake: Signal;
  isOver: () => boolean;
  everyMs: number;
  /** callerChanges() at the start. */
  since: number;
};

/** Ends a stream so that the browser reconnects and gets the current answer. */
const interrupted = () => new AppError("unavailable", "The live view was interrupted; it continues automatically.");

/** Organizations in a scope, in the order of positions. */
export const organizationsOf = async (scope: Scope): Promise<string[]> =>
  [...(await tenant(scope, (tx) => reachedBy(tx, scope)))].sort();

/** @throws AppError unavailable if a new request would get other rights than the stream. */
async function requireSame({ scope, recheck }: Ctx, { orgIds }: View): Promise<void> {
  if (!recheck) return;
  try {
    const now = await recheck();
    const isSame =
      now.permissions.has("audit:read") &&
      !now.mustEnroll &&
      now.scope.kind === scope.kind &&
      (await organizationsOf(now.scope)).join() === orgIds.join();
    if (!isSame) throw interrupted();
  } catch (error) {
    // Nothing is sent while the database is down.
    if (error instanceof AppError) throw interrupted();
  }
}

/** Yields entries sealed after a position, and waits in between. */
async function* follow(ctx: Ctx, { lastEventId, ...filter }: TailInput, view: View): AsyncGenerator<Message> {
  const { everyMs } = view;
  const heads = (): Position => ({ orgIds: view.orgIds, seqs: view.orgIds.map((orgId) => headWatch.headOf(orgId)) });
  let { position, reload } = startAt(lastEventId, heads());
  let sent = position;
  let checkAt = performance.now() + everyMs;
  let checked = view.since;
  while (!view.isOver()) {
    if (rowsBehind(position, heads()) > MAX_TAIL_BACKLOG) {
      position = heads();
      reload ??= "behind";
    }
    const spans = reload ? [] : nextSpans(position, heads());
    const entries = spans.length > 0 ? await readSpans(ctx, filter, spans) : [];
    position = advance(position, spans);
    // Checked before each send: entries may date from after the access was revoked.
    if (callerChanges() !== checked || performance.now() >= checkAt) {
      checked = callerChanges();
      await requireSame(ctx, view);
      checkAt = performance.now() + everyMs;
    }
    // Filtered rows advance the position too, or a reconnected reader would read all of them again.
    if (reload || entries.length > 0 || rowsBehind(sent, position) > MAX_TAIL_BACKLOG / 2) {
      yield tracked(
        encodePosition(position),
        reload ? { kind: "reload", reason: reload } : { kind: "entries", entries },
      );
      sent = position;
      reload = null;
    }
    if (rowsBehind(position, heads()) === 0) await view.wake.wait(checkAt - performance.now());
  }
}

/**
 * Streams the matches of a filter as they are sealed. Without a position (lastEventId) it starts now; with one it first
 * yields everything sealed since. Positions count along each chain, because timestamps are the clients' and spooled
 * rows come late. The caller's access is checked every TAIL_CHECK_MS.
 * @throws AppError rate_limited with too many open already; unavailable at shutdown or when the caller's reach changed
 */
export async function* tailEntries(ctx: Ctx, input: TailInput, everyMs = TAIL_CHECK_MS): AsyncGenerator<Message> {
  const { signal } = ctx;
  const wake = new Signal();
  const undo = [acquireSlot(ctx.actor, TAIL_SLOTS)];
  const since = callerChanges();
  let isEnded = false;
  const end = () => {
    isEnded = true;
    wake.notify();
  };
  const isOver = () => isEnded || signal?.aborted === true;
  try {
    undo.push(trackStream(end), watchCallers(wake.notify));
    signal?.addEventListener("abort", wake.notify, { once: true });
    const orgIds = await organizationsOf(ctx.scope);
    undo.push(await headWatch.follow(orgIds, wake.notify));
    yield* follow(ctx, input, { orgIds, wake, isOver, everyMs, since });
    if (isEnded) throw interrupted();
  } finally {
    signal?.removeEventListener("abort", wake.notify);
    for (const step of undo) step();
  }
}

/** The live view of the audit log. */
export const followEntries = operation({
  permission: "audit:read",
  input: tailInput,
  output: "stream",
  run: async (ctx, input) => tailEntries(ctx, input),
});
