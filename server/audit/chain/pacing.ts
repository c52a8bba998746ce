import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { env } from "@/server/env";

/** So long rows are read before writers have the processor for as long. */
const TURN_MS = 10;
/** So often is looked whether anybody writes; that nobody did counts until the look after the next. */
const LOOK_MS = 50;

/**
 * How far the database's write-ahead log goes: farther each time that anybody wrote anything, committed or not.
 * @returns null on a distributed database, where no node knows of all
 */
export async function writtenUpTo(): Promise<string | null> {
  if (env().TRAILMARK_CITUS) return null;
  const [row] = await asSystem((tx) =>
    rowsOf<{ position: string }>(tx, sql`SELECT pg_current_wal_insert_lsn()::text AS position`),
  );
  return row?.position ?? null;
}

type Sources = { written?: () => Promise<string | null>; now?: () => number };

/**
 * A long reading gives as much time to writers as it takes: it stops for as long as it went on, every so often. It goes
 * on at full speed once nobody writes, and until somebody does.
 */
export function pacing({
  written = writtenUpTo,
  now = () => performance.now(),
}: Sources = {}): () => Promise<void> | null {
  let since = now();
  let nextLook = since;
  let quietUntil = since;
  let last: string | null = null;
  const look = async () => {
    const seen = await written().catch(() => null);
    const isQuiet = seen !== null && seen === last;
    last = seen;
    quietUntil = isQuiet ? now() + 2 * LOOK_MS : now();
    nextLook = now() + LOOK_MS;
  };
  return () => {
    const at = now();
    if (at >= nextLook) {
      nextLook = Number.POSITIVE_INFINITY;
      void look();
    }
    const worked = at - since;
    if (worked < TURN_MS) return null;
    if (at < quietUntil) {
      since = at;
      return null;
    }
    return sleep(worked).then(() => {
      since = now();
    });
  };
}
