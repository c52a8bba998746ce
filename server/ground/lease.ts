import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { exists } from "./process-name";

/** A claim that is not renewed for this long belongs to a dead process; another one takes over. */
const LEASE_MS = 15_000;
/** How often a process says that it still has what it claimed. */
const BEAT_MS = LEASE_MS / 3;

/** This process's name on the work that it claims. */
export const ownerName = `${hostname()}:${process.pid}:${crypto.randomUUID().slice(0, 8)}`;

/** Another process has the work now, or it was deleted. */
export class LostLease extends Error {}
/** The process is about to end; another one, or its successor, continues. */
export class Stopped extends Error {}

/** By the database's clock, which judges it too: those of the processes differ. Not now(), which is when a transaction began. */
export const leaseEnd = (): SQL => sql`clock_timestamp() + ${`${LEASE_MS} ms`}::text::interval`;
/** The columns of a row that no process holds. */
export const RELEASED = { leaseOwner: null, leaseUntil: null };

/** True for the name of a process of this machine that is no longer there: its claims need not run out. */
function isDeadOwner(name: string): boolean {
  const [host, pid] = name.split(":");
  return name !== ownerName && host === hostname() && !exists(Number(pid));
}

/**
 * Frees what processes of this machine held that are no longer there, so that a restart need not wait for their claims
 * to run out. Taking a claim from one that is there after all does no harm: every step asks again whose it is.
 */
export async function freeDeadClaims(table: PgTable & { leaseOwner: PgColumn }): Promise<void> {
  const { leaseOwner } = table;
  await asSystem(async (tx) => {
    const held = sql`SELECT DISTINCT ${leaseOwner} AS name FROM ${table} WHERE ${isNotNull(leaseOwner)}`;
    const dead = (await rowsOf<{ name: string }>(tx, held)).map(({ name }) => name).filter(isDeadOwner);
    if (dead.length === 0) return;
    await tx.execute(
      sql`UPDATE ${table} SET lease_owner = NULL, lease_until = NULL WHERE ${inArray(leaseOwner, dead)}`,
    );
  });
}

/**
 * Does claimed work and renews the claim while it lasts, because a single statement may take longer than a claim. A
 * renewal that fails is tried again; the work itself notices when the claim was lost. One at a time, because the work may
 * hold the row that they wait for, and none is under way any more when the work has ended; but one that hangs, as on a
 * connection that is silently dead, keeps up neither the next one nor the end for longer than a beat.
 */
export async function whileRenewed<T>(renew: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let renewal: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    renewal ??= Promise.race([renew().catch(() => {}), sleep(BEAT_MS, undefined, { ref: false })]).finally(() => {
      renewal = null;
    });
  }, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await renewal;
  }
}
