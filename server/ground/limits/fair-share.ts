import { setMaxListeners } from "node:events";
import { availableParallelism } from "node:os";
import type { Actor, Ctx } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import type { AppError } from "@/server/ground/errors";
import { RecentCounts } from "./recent-counts";
import { BUSY_SECONDS, tooMany } from "./too-many";
import { waitIn } from "./wait-in";

/** How much runs at once, and how much may wait for it. */
export type Limits = { total: number; perCaller: number; waiting: number; waitMs: number };

/** By how many times its work's duration a caller with so many waiting is delayed before its next work; 0: not at all. */
export type DelayFactor = (key: string, waiting: number) => number;

type Caller = { running: number; queue: (() => void)[] };

/** More than a page asks for at once: a caller with so many waiting, or refused recently, backs off. */
const CONTENTION = 8;
/** Callers with a request within this time count as present. */
const PRESENT_MS = 1_000;
/** A caller that backs off is delayed by no more than so many times as long as its work took, and no longer than this. */
const MAX_DELAY_FACTOR = 8;
const MAX_DELAY_MS = 5_000;

/** The more a caller has waiting, the longer its delay. */
export const backOffFactor = (count: number): number =>
  count < CONTENTION ? 0 : Math.min(count / CONTENTION, MAX_DELAY_FACTOR);

/**
 * Work of many callers: each has so many running at a time, all together no more than the database has connections for,
 * and waiting work is taken in turn caller by caller, so that one who asks for two hundred things at once delays its
 * own alone. While other callers are present, such a caller has one running at a time and is delayed in between, the longer
 * the more it has waiting: turns alone do not leave the others their share of a small machine's processors.
 */
export class FairShare {
  #running = 0;
  #refused = 0;
  /** Callers with something running or waiting, the next one to be served first. */
  readonly #callers = new Map<string, Caller>();
  /** The latest caller, and when a different one asked last. */
  #latest = { key: "", at: Number.NEGATIVE_INFINITY };
  #before = Number.NEGATIVE_INFINITY;

  /** @param delayFactor who backs off; without it callers with many waiting do, while others are present in this share */
  constructor(
    readonly limits: Limits,
    readonly delayFactor?: DelayFactor,
  ) {}

  /** How many run and wait, for the tests. */
  get state(): { running: number; callers: number } {
    return { running: this.#running, callers: this.#callers.size };
  }

  /** How many run and wait, and how many were refused since the start. */
  get figures(): { running: number; waiting: number; refused: number } {
    const waiting = [...this.#callers.values()].reduce((sum, { queue }) => sum + queue.length, 0);
    return { running: this.#running, waiting, refused: this.#refused };
  }

  /**
   * Does the work when its turn comes.
   * @param signal ends the wait; the work itself must observe it from then on
   * @throws AppError rate_limited when too much of this caller waits, or it has waited for too long; the signal's reason;
   *   what the work throws
   */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    this.noteRequest(key);
    const caller = this.#callers.get(key) ?? { running: 0, queue: [] };
    this.#callers.set(key, caller);
    if (this.#isFree(key, caller)) this.#begin(caller);
    else await this.#wait(key, caller, signal);
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.#running--;
      const delay = Math.min((performance.now() - began) * this.#delayFactor(key, caller), MAX_DELAY_MS);
      if (delay > 0) setTimeout(() => this.#end(key, caller), delay);
      else this.#end(key, caller);
      this.#next();
    }
  }

  /** Notes that a caller asks for something, in this share or past it. */
  noteRequest(key: string): void {
    if (this.#latest.key !== key) this.#before = this.#latest.at;
    this.#latest = { key, at: performance.now() };
  }

  /** True while a caller other than this one asked a moment ago. */
  hasOthers(key: string): boolean {
    const others = this.#latest.key === key ? this.#before : this.#latest.at;
    return performance.now() - others < PRESENT_MS;
  }

  /** True while at least two callers have asked recently. */
  get hasSeveral(): boolean {
    return performance.now() - this.#before < PRESENT_MS;
  }

  #delayFactor(key: string, { queue }: Caller): number {
    if (this.delayFactor) return this.delayFactor(key, queue.length);
    return this.hasOthers(key) ? backOffFactor(queue.length) : 0;
  }

  #isFree(key: string, caller: Caller): boolean {
    const most = this.#delayFactor(key, caller) > 0 ? 1 : this.limits.perCaller;
    return this.#running < this.limits.total && caller.running < most;
  }

  #begin(caller: Caller): void {
    this.#running++;
    caller.running++;
  }

  #end(key: string, caller: Caller): void {
    caller.running--;
    this.#leave(key, caller);
    this.#next();
  }

  #leave(key: string, { running, queue }: Caller): void {
    if (running === 0 && queue.length === 0) this.#callers.delete(key);
  }

  #next(): void {
    while (this.#startOne());
  }

  /** Starts the next work of the caller who has waited longest for a turn, and puts that caller behind the others. */
  #startOne(): boolean {
    for (const [key, caller] of this.#callers) {
      if (this.#running >= this.limits.total) return false;
      if (caller.queue.length === 0 || !this.#isFree(key, caller)) continue;
      this.#callers.delete(key);
      this.#callers.set(key, caller);
      this.#begin(caller);
      caller.queue.shift()?.();
      return true;
    }
    return false;
  }

  #refuse(message: string): AppError {
    this.#refused++;
    return tooMany(message, { limit: this.limits.waiting, seconds: BUSY_SECONDS });
  }

  async #wait(key: string, caller: Caller, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, waitMs } = this.limits;
    if (caller.queue.length >= waiting) {
      throw this.#refuse(`${waiting} requests of yours are waiting already. Send fewer at a time.`);
    }
    const onTimeout = () => this.#refuse("Your earlier requests are still being worked on. Send fewer at a time.");
    // The calls of one batch share their request's signal: many listeners are no leak.
    if (signal) setMaxListeners(0, signal);
    try {
      await waitIn(caller.queue, { signal, timeoutMs: waitMs, onTimeout });
    } catch (error) {
      this.#leave(key, caller);
      throw error;
    }
  }
}

/** On a machine with more cores a caller has as many; each request may be several statements at once. */
const MIN_PER_CALLER = 2;
const MAX_WAITING = 120;
const MAX_WAIT_MS = 10_000;
/** Connections that callers' requests leave to signing in, recording and the background. */
const RESERVED_CONNECTIONS = 4;

/** A request may hold several connections at once (a page and its count), so half as many requests as connections. */
function requestLimits(): Limits {
  const total = Math.max(2, Math.floor((env().DATABASE_POOL_SIZE - RESERVED_CONNECTIONS) / 2));
  return {
    total,
    perCaller: Math.min(total, Math.max(MIN_PER_CALLER, availableParallelism())),
    waiting: MAX_WAITING,
    waitMs: MAX_WAIT_MS,
  };
}

let requests: FairShare | undefined;
const share = (): FairShare => {
  requests ??= new FairShare(requestLimits());
  return requests;
};

/** Whose share it is. */
export const callerKey = (actor: Actor): string => ("id" in actor ? `${actor.type} ${actor.id}` : actor.type);

/** How many requests of people and keys run, wait and were refused, for the metrics. */
export const shareState = (): FairShare["figures"] => requests?.figures ?? { running: 0, waiting: 0, refused: 0 };

/** How often callers were refused because they have as much running as they may. */
const refusals = new RecentCounts();

/** Counts that a caller was refused for having too much running already. */
export const noteRefusal = (actor: Actor): void => refusals.note(callerKey(actor));

/** True while several people, keys or agents have recent requests to this process. */
export const hasSeveralCallers = (): boolean => requests?.hasSeveral ?? false;

/** True while people, keys or agents other than this caller have recent requests to this process. */
export const hasOtherCallers = (actor: Actor): boolean => requests?.hasOthers(callerKey(actor)) ?? false;

/**
 * How long a caller's long work pauses, in multiples of its duration: 0 while there are no other requests to this
 * process, 1 while there are, more for a caller who asks for so much that it is being refused.
 */
export const delayFactorOf = (actor: Actor): number =>
  hasOtherCallers(actor) ? Math.max(1, backOffFactor(refusals.of(callerKey(actor)))) : 0;

/**
 * Does the work of a person or a key within that caller's share of this process.
 * @param caller its signal ends the wait, and is created only for those who may have to wait
 * @throws AppError rate_limited, and what the work throws
 */
export function inFairShare<T>(caller: Pick<Ctx, "actor" | "signal">, work: () => Promise<T>): Promise<T> {
  const { actor } = caller;
  const key = callerKey(actor);
  if (actor.type === "user" || actor.type === "api_key") return share().run(key, work, caller.signal);
  if (actor.type === "agent") share().noteRequest(key);
  return work();
}
