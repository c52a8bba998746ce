import type { Actor } from "@/server/ground/context";
import { noteRefusal } from "./fair-share";
import { Holdings } from "./holdings";
import { BUSY_SECONDS, tooMany } from "./too-many";

const held = new Holdings();

/** Something of which one caller may have `max` running in one process; advice says how a slot becomes free. */
type Slots = { kind: string; max: number; advice: string };

/**
 * Acquires one of a caller's slots.
 * @returns releases it, once
 * @throws AppError rate_limited when all are taken
 */
export function acquireSlot(actor: Actor, { kind, max, advice }: Slots): () => void {
  const key = [kind, actor.type, "id" in actor ? actor.id : ""].join(" ");
  const count = held.of(key);
  if (count >= max) {
    noteRefusal(actor);
    const message = `You have ${count} ${kind} running, which is the limit. ${advice}`;
    throw tooMany(message, { limit: max, seconds: BUSY_SECONDS });
  }
  return held.hold(key);
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
