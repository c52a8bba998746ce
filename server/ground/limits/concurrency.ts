import { setMaxListeners } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { networkOf } from "@/server/ground/client-ip";
import type { Actor, Ctx } from "@/server/ground/context";
import { tooMany } from "@/server/ground/errors";
import { noteLimit } from "./met";

/** Retry-After for a caller with too much at once: most of it ends by then. */
export const BUSY_SECONDS = 5;

/** Length of the queue, and maximum wait (ms). */
type Queue = { max: number; ms: number };
type Entry = { begin: () => void };

/** Limits concurrent work; further work waits in order. */
export class Concurrency {
  #running = 0;
  readonly #waiting: Entry[] = [];

  /** @param queue limits the waiting work; by default unlimited */
  constructor(
    readonly max: number,
    readonly queue?: Queue,
  ) {}

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs work in its turn.
   * @param signal ends the wait; later the work must observe it
   * @throws AppError rate_limited when too much waits, or for too long; the signal's reason; errors of the work
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.max) this.#running++;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next.begin();
      else this.#running--;
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { max = Number.POSITIVE_INFINITY, ms } = this.queue ?? {};
    const refused = (message: string) => tooMany(message, { limit: max, seconds: BUSY_SECONDS });
    if (this.waiting >= max) throw refused(`${max} requests of yours are waiting already. Send fewer at a time.`);
    // Calls of one batch share a signal, so many listeners are no leak.
    if (signal) setMaxListeners(0, signal);
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const entry: Entry = {
        begin: () => {
          settle();
          resolve();
        },
      };
      const leave = (reason: unknown) => {
        settle();
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(reason);
      };
      const onAbort = () => leave(signal?.reason);
      const late = () => leave(refused("Your earlier requests are still being worked on. Send fewer at a time."));
      const timer = ms === undefined ? undefined : setTimeout(late, ms).unref();
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(entry);
    });
  }
}

/** A Concurrency per caller, dropped when idle. */
export class CallerConcurrency {
  readonly #callers = new Map<string, Concurrency>();
  #refused = 0;

  constructor(
    readonly max: number,
    readonly queue?: Queue,
  ) {}

  /** Running and waiting work, and refusals since the start. */
  get figures(): { running: number; waiting: number; refused: number } {
    const all = [...this.#callers.values()];
    const sum = (of: (one: Concurrency) => number) => all.reduce((total, one) => total + of(one), 0);
    return { running: sum((one) => one.running), waiting: sum((one) => one.waiting), refused: this.#refused };
  }

  /** Free places in a caller's queue. */
  roomOf(key: string): number {
    const max = this.queue?.max ?? Number.POSITIVE_INFINITY;
    return max - (this.#callers.get(key)?.waiting ?? 0);
  }

  /** Runs work in the caller's turn. @throws as Concurrency.run does */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const caller = this.#callers.get(key) ?? new Concurrency(this.max, this.queue);
    if (caller.running === this.max && caller.waiting >= (this.queue?.max ?? Number.POSITIVE_INFINITY)) this.#refused++;
    this.#callers.set(key, caller);
    try {
      return await caller.run(work, signal);
    } finally {
      if (caller.running === 0) this.#callers.delete(key);
    }
  }
}

/** A resource of which a caller may use `max` per process; advice says how to free a slot. */
type Slots = { kind: string; max: number; advice: string };

const held = new Map<string, number>();

/**
 * Counts a caller's running work, without a queue.
 * @returns a function to release it; null above `max`
 */
export function hold(key: string, { amount = 1, max }: { amount?: number; max: number }): (() => void) | null {
  const count = held.get(key) ?? 0;
  if (count + amount > max) return null;
  held.set(key, count + amount);
  let isReleased = false;
  return () => {
    if (isReleased) return;
    isReleased = true;
    const left = (held.get(key) ?? 0) - amount;
    if (left > 0) held.set(key, left);
    else held.delete(key);
  };
}

/** Key under which requests are counted together. */
export const callerKey = (actor: Actor): string => ("id" in actor ? `${actor.type} ${actor.id}` : actor.type);

/**
 * Acquires one of a caller's slots.
 * @returns a function to release it
 * @throws AppError rate_limited when all are taken
 */
export function acquireSlot(actor: Actor, { kind, max, advice }: Slots): () => void {
  const release = hold(`${kind} ${callerKey(actor)}`, { max });
  if (release) return release;
  const message = `You have ${max} ${kind} running, which is the limit. ${advice}`;
  throw tooMany(message, { limit: max, seconds: BUSY_SECONDS });
}

/**
 * Starts work in one of a caller's slots, acquired before any reading or waiting, so that excess is refused at once.
 * @param begin keeps the slot until it calls release; a failure releases it
 * @throws AppError rate_limited when all are taken, and the errors of begin
 */
export async function inSlot<T>(actor: Actor, slots: Slots, begin: (release: () => void) => Promise<T>): Promise<T> {
  const release = acquireSlot(actor, slots);
  try {
    return await begin(release);
  } catch (error) {
    release();
    throw error;
  }
}

const tries = new CallerConcurrency(1);

/**
 * Serializes attempts at one secret: failures are counted afterwards, so concurrent attempts would all find the counter
 * unused.
 * @param key secret and source of the attempts, as failures are counted
 * @throws the errors of the work
 */
export const inTurn = <T>(key: string, work: () => Promise<T>): Promise<T> => tries.run(key, work);

/** Minimum of concurrent requests per caller: a page sends five, each with several statements. */
const MIN_PER_CALLER = 2;
const MAX_WAITING = 120;
const requests = new CallerConcurrency(Math.max(MIN_PER_CALLER, availableParallelism()), {
  max: MAX_WAITING,
  ms: 10_000,
});

/** Requests of people and keys, running, waiting and refused, for the metrics. */
export const requestFigures = (): CallerConcurrency["figures"] => requests.figures;

/**
 * Runs a person's or key's work within the caller's limit in this process; agents have limits per minute instead.
 * @param caller its signal ends the wait, and is only created if needed
 * @throws AppError rate_limited, and the errors of the work
 */
export function inCallerLimit<T>(caller: Pick<Ctx, "actor" | "signal">, work: () => Promise<T>): Promise<T> {
  const { actor } = caller;
  if (actor.type !== "user" && actor.type !== "api_key") return work();
  const key = callerKey(actor);
  noteLimit({ limit: MAX_WAITING, remaining: requests.roomOf(key), seconds: BUSY_SECONDS });
  return requests.run(key, work, caller.signal);
}

const strangers = new CallerConcurrency(2, { max: 24, ms: 10_000 });
/** Pause as a multiple of the work, within bounds, so that strangers leave most of the thread to others. */
const PAUSE = { times: 8, minMs: 20, maxMs: 1_000 };

/**
 * Answers strangers of one network in turn, with a pause in between.
 * @param signal ends the wait
 * @throws AppError rate_limited when too many wait, and the errors of the work
 */
export function inStrangersTurn<T>(ip: string | null, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const turn = async () => {
      const began = performance.now();
      await work().then(resolve, reject);
      const pause = (performance.now() - began) * PAUSE.times;
      await sleep(Math.min(Math.max(pause, PAUSE.minMs), PAUSE.maxMs), undefined, { ref: false });
    };
    strangers.run(networkOf(ip) ?? "unknown", turn, signal).catch(reject);
  });
}
