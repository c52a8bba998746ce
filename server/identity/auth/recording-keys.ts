import type { Caller } from "@/server/ground/context";

/** How long a recording key is remembered without the database, and how long to wait for the database first. */
const REMEMBER_MS = 60_000;
const TIMEOUT_MS = 250;
const MAX_REMEMBERED = 1_000;

type Known = { caller: Caller; until: number };
const known = new Map<string, Known>();

function remember(keyHash: string, caller: Caller | null): void {
  known.delete(keyHash);
  if (!caller?.permissions.has("audit:write")) return;
  if (known.size >= MAX_REMEMBERED) known.clear();
  // Recording only: reads and changes need the database.
  known.set(keyHash, {
    caller: { ...caller, permissions: new Set(["audit:write" as const]) },
    until: Date.now() + REMEMBER_MS,
  });
}

/**
 * The caller found by `lookup`. When the database is frozen or down, a key confirmed within the last minute may still
 * record, because the spool accepts events; so a revocation reaches a recording key up to a minute late, and only while
 * the database does not answer.
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
