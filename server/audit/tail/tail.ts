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
/** An open live view: the organizations in order, what wakes it, whether it is to end, how often to look again (ms). */
type View = {
  orgIds: readonly string[];
  wake: Signal;
  isOver: () => boolean;
  everyMs: number;
  /** callerChanges() when it was opened. */
  since: number;
};

/** Ends a stream so that the browser connects again: the answer to that says what holds now. */
const interrupted = () => new AppError("unavailable", "The live view was interrupted; it continues automatically.");

/** The organizations that a scope reaches, in the order of positions. */
export const organizationsOf = async (scope: Scope): Promise<string[]> =>
  [...(await tenant(scope, (tx) => reachedBy(tx, scope)))].sort();

/** @throws AppError unavailable when a new request would not get what this stream was opened for. */
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
    // While the database is away nothing is shown either.
    if (error instanceof AppError) throw interrupted();
  }
}

/** Yields what is sealed after a position, and waits in between. */
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
    // Before anything is sent: it may have been written after the access was gone.
    if (callerChanges() !== checked || performance.now() >= checkAt) {
      checked = callerChanges();
      await requireSame(ctx, view);
      checkAt = performance.now() + everyMs;
    }
    // Rows that the filters leave out move the position too, or a reconnected reader would pass all of them again.
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
 * The entries that a filter's lists would show, as they are sealed. Without a position (lastEventId) it begins now;
 * with one it first yields what was sealed since. A position counts along each organization's chain: timestamps are the
 * clients', and spooled rows come late. Whether the caller may still see them is looked up every TAIL_CHECK_MS.
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
