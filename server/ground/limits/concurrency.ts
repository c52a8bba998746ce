import { setMaxListeners } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { networkOf } from "@/server/ground/client-ip";
import type { Actor, Ctx } from "@/server/ground/context";
import { tooMany } from "@/server/ground/errors";
import { noteLimit } from "./met";

/** Seconds after which a caller with too much at once may ask again: most of it has ended by then. */
export const BUSY_SECONDS = 5;

/** How many may wait, and for how long (ms). */
type Queue = { max: number; ms: number };
/** Work that waits: begun by `begin`, or given up. */
type Entry = { begin: () => void };

/** Work of which only so much runs at a time; the rest waits in the order in which it came. */
export class Concurrency {
  #running = 0;
  readonly #waiting: Entry[] = [];

  /** @param queue bounds what waits; without it any number waits for as long as it takes */
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
   * Does the work when its turn comes.
   * @param signal ends the wait; the work itself must observe it from then on
   * @throws AppError rate_limited when too much waits, or this has waited for too long; the signal's reason; what the work
   *   throws
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
    // The calls of one batch share their request's signal: many listeners are no leak.
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

/** A Concurrency for each caller, forgotten when nothing of that caller runs. */
export class CallerConcurrency {
  readonly #callers = new Map<string, Concurrency>();
  #refused = 0;

  constructor(
    readonly max: number,
    readonly queue?: Queue,
  ) {}

  /** How many run and wait, and how many were refused since the start. */
  get figures(): { running: number; waiting: number; refused: number } {
    const all = [...this.#callers.values()];
    const sum = (of: (one: Concurrency) => number) => all.reduce((total, one) => total + of(one), 0);
    return { running: sum((one) => one.running), waiting: sum((one) => one.waiting), refused: this.#refused };
  }

  /** How many more of a caller's may wait. */
  roomOf(key: string): number {
    const max = this.queue?.max ?? Number.POSITIVE_INFINITY;
    return max - (this.#callers.get(key)?.waiting ?? 0);
  }

  /** Does the work in the caller's turn. @throws as Concurrency.run does */
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

/** Something of which one caller may have `max` running in one process; advice says how a slot becomes free. */
type Slots = { kind: string; max: number; advice: string };

const held = new Map<string, number>();

/**
 * Counts what a caller has running, without a queue.
 * @returns releases it, once; null where it would be more than `max`
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

/** The group whose requests are counted together. */
export const callerKey = (actor: Actor): string => ("id" in actor ? `${actor.type} ${actor.id}` : actor.type);

/**
 * Acquires one of a caller's slots.
 * @returns releases it, once
 * @throws AppError rate_limited when all are taken
 */
export function acquireSlot(actor: Actor, { kind, max, advice }: Slots): () => void {
  const release = hold(`${kind} ${callerKey(actor)}`, { max });
  if (release) return release;
  const message = `You have ${max} ${kind} running, which is the limit. ${advice}`;
  throw tooMany(message, { limit: max, seconds: BUSY_SECONDS });
}

/**
 * Begins work in one of a caller's slots, acquired before anything is read or waits: one too many is refused at once.
 * @param begin keeps the slot until it calls release; where it fails, the slot is released
 * @throws AppError rate_limited when all are taken, and what begin throws
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
 * Does one try at a secret after the earlier ones at the same: failures are counted when they are known, so of hundreds that
 * come at the same moment each would find its attempts unused.
 * @param key whose secret is tried, and from where, as the failures are counted
 * @throws what the work throws
 */
export const inTurn = <T>(key: string, work: () => Promise<T>): Promise<T> => tries.run(key, work);

/** Requests of one caller that run at a time: a page asks for five, each of which may be several statements at once. */
const MIN_PER_CALLER = 2;
const MAX_WAITING = 120;
const requests = new CallerConcurrency(Math.max(MIN_PER_CALLER, availableParallelism()), {
  max: MAX_WAITING,
  ms: 10_000,
});

/** How many requests of people and keys run, wait and were refused, for the metrics. */
export const requestFigures = (): CallerConcurrency["figures"] => requests.figures;

/**
 * Does the work of a person or a key within what that caller may have running in this process; agents are counted by the
 * minute instead.
 * @param caller its signal ends the wait, and is created only for those who may have to wait
 * @throws AppError rate_limited, and what the work throws
 */
export function inCallerLimit<T>(caller: Pick<Ctx, "actor" | "signal">, work: () => Promise<T>): Promise<T> {
  const { actor } = caller;
  if (actor.type !== "user" && actor.type !== "api_key") return work();
  const key = callerKey(actor);
  noteLimit({ limit: MAX_WAITING, remaining: requests.roomOf(key), seconds: BUSY_SECONDS });
  return requests.run(key, work, caller.signal);
}

const strangers = new CallerConcurrency(2, { max: 24, ms: 10_000 });
/** A turn lasts so many times longer than its work, within bounds: what strangers ask for leaves most of the thread to others. */
const PAUSE = { times: 8, minMs: 20, maxMs: 1_000 };

/**
 * Answers a stranger after the earlier ones of the same network, with a pause in between.
 * @param signal ends the wait
 * @throws AppError rate_limited when too many wait, and what the work throws
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
