import type { Ctx } from "@/server/context";
import { AppError } from "@/server/errors";

/** Exports that one caller may have under way in one process: each holds rows in memory and takes turns at the database. */
export const MAX_EXPORTS_AT_ONCE = 4;
const RETRY_AFTER_SECONDS = 5;

const counts = new Map<string, number>();

/**
 * Counts an export of this caller as begun; the answer ends it, once.
 * @throws AppError rate_limited when too many of the caller's are under way.
 */
export function beginExport({ actor }: Ctx): () => void {
  const key = actor.type === "system" ? actor.type : actor.id;
  const count = counts.get(key) ?? 0;
  if (count >= MAX_EXPORTS_AT_ONCE)
    throw new AppError("rate_limited", `${count} exports are under way; wait until one of them has ended.`, {
      headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
    });
  counts.set(key, count + 1);
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
}
