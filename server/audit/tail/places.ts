import type { Actor } from "@/server/context";
import { AppError } from "@/server/errors";
import { MAX_TAILS_PER_CALLER } from "./schema";

const nameOf = (actor: Actor): string => ("id" in actor ? `${actor.type} ${actor.id}` : actor.type);

const taken = new Map<string, number>();

/**
 * Takes one of a caller's places for an open live view.
 * @returns gives it back.
 * @throws AppError rate_limited when all are taken
 */
export function takePlace(actor: Actor): () => void {
  const name = nameOf(actor);
  const count = taken.get(name) ?? 0;
  if (count >= MAX_TAILS_PER_CALLER)
    throw new AppError("rate_limited", `You have ${count} live views open, which is the limit. Close one of them.`);
  taken.set(name, count + 1);
  return () => {
    const left = (taken.get(name) ?? 1) - 1;
    if (left > 0) taken.set(name, left);
    else taken.delete(name);
  };
}
