import type { Caller } from "@/server/ground/context";

/** How long a key that may record is known without the database, and how long the database is waited for first. */
const REMEMBER_MS = 60_000;
const TIMEOUT_MS = 250;
const MAX_REMEMBERED = 1_000;

type Known = { caller: Caller; until: number };
const known = new Map<string, Known>();

function remember(keyHash: string, caller: Caller | null): void {
  known.delete(keyHash);
  if (!caller?.permissions.has("audit:write")) return;
  if (known.size >= MAX_REMEMBERED) known.clear();
  // Nothing but recording: what it reads or changes is for the database to allow.
  known.set(keyHash, {
    caller: { ...caller, permissions: new Set(["audit:write" as const]) },
    until: Date.now() + REMEMBER_MS,
  });
}

/**
 * The caller that `lookup` finds. When the database is frozen or away, a key that it has confirmed within the last
 * minute may still record, since events are taken over by the spool; a revocation therefore reaches a key that only
 * records a minute late at most, and only while the database does not answer.
 */
export async function orRemembered(keyHash: string, lookup: Promise<Caller | null>): Promise<Caller | null> {
  const found = lookup.then((caller) => {
    remember(keyHash, caller);
    return caller;
  });
  const entry = known.get(keyHash);
  if (!entry || entry.until < Date.now()) return found;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Caller>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, entry.caller);
  });
  try {
    return await Promise.race([found.catch(() => entry.caller), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
