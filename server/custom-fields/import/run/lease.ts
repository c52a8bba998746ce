import { and, eq, isNotNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { ImportRecord } from "@/server/custom-fields/import/find-import";
import { isDeadOwner, ownerName } from "@/server/lease-owner";

/** A claim that is not renewed for this long belongs to a dead process; another one takes over. */
export const LEASE_MS = 15_000;

/** This process's name on its claims, and whether it is about to end. */
export const owner = { name: ownerName, isStopping: false };
const i = customFieldImports;

/** A person asked for the work to end. */
export class Cancelled extends Error {}
/** The process is about to end; another one, or its successor, continues. */
export class Stopped extends Error {}
/** Another process has taken the work over. */
export class LostLease extends Error {}

const leaseEnd = () => new Date(Date.now() + LEASE_MS);

/**
 * Frees what processes of this machine held that are no longer there, so that a restart need not wait for their claims
 * to run out. Taking a claim from one that is there after all does no harm: every chunk asks again whose it is.
 */
export async function freeDeadClaims(): Promise<void> {
  const held = await asSystem((tx) =>
    tx
      .selectDistinct({ name: i.leaseOwner })
      .from(i)
      .where(and(isNotNull(i.job), isNotNull(i.leaseOwner))),
  );
  for (const { name } of held) {
    if (!name || !isDeadOwner(name)) continue;
    await asSystem((tx) => tx.update(i).set({ leaseUntil: null, leaseOwner: null }).where(eq(i.leaseOwner, name)));
  }
}

/** Claims the longest waiting work that no process holds, under a row lock that other processes skip. */
export async function claimImport(): Promise<string | null> {
  const [row] = await asSystem((tx) =>
    tx.execute<{ id: string }>(sql`
      UPDATE custom_field_imports SET lease_owner = ${owner.name}, lease_until = now() + ${`${LEASE_MS} ms`}::text::interval
      WHERE id = (
        SELECT id FROM custom_field_imports WHERE job IS NOT NULL AND (lease_until IS NULL OR lease_until < now())
        ORDER BY job_started_at LIMIT 1 FOR UPDATE SKIP LOCKED
      ) RETURNING id`),
  );
  return row?.id ?? null;
}

/**
 * Renews the claim while work is in progress, and stores the progress.
 * @throws LostLease, Cancelled, Stopped.
 */
export async function renewLease(id: string, jobDone?: number): Promise<void> {
  const [row] = await asSystem((tx) =>
    tx
      .update(i)
      .set({ leaseUntil: leaseEnd(), ...(jobDone === undefined ? {} : { jobDone }) })
      .where(and(eq(i.id, id), eq(i.leaseOwner, owner.name), isNotNull(i.job)))
      .returning({ cancelRequested: i.cancelRequested }),
  );
  if (!row) throw new LostLease();
  if (row.cancelRequested) throw new Cancelled();
  if (owner.isStopping) throw new Stopped();
}

/** The same for an import that the transaction has locked. @throws LostLease, Cancelled, Stopped. */
export function requireLease(locked: ImportRecord): void {
  if (locked.leaseOwner !== owner.name || !locked.job) throw new LostLease();
  if (locked.cancelRequested) throw new Cancelled();
  if (owner.isStopping) throw new Stopped();
}

type Progress = { jobDone: number; summary: ImportRecord["summary"]; appliedThrough?: number };

/** Moves the progress mark in the transaction that did the work. */
export async function markDone(tx: Tx, id: string, progress: Progress): Promise<void> {
  await tx
    .update(i)
    .set({ ...progress, leaseUntil: leaseEnd() })
    .where(eq(i.id, id));
}

/** Ends the work with its result. @throws LostLease when another process has it by now. */
export async function finishWork(tx: Tx, id: string, values: object): Promise<void> {
  const rest = { job: null, leaseOwner: null, leaseUntil: null, cancelRequested: false, updatedAt: new Date() };
  const done = await tx
    .update(i)
    .set({ ...rest, ...values })
    .where(and(eq(i.id, id), eq(i.leaseOwner, owner.name)))
    .returning({ id: i.id });
  if (done.length === 0) throw new LostLease();
}

/** Gives the claim back, so that the next process need not wait for it to run out. */
export async function releaseLease(id: string): Promise<void> {
  await asSystem((tx) =>
    tx
      .update(i)
      .set({ leaseUntil: null, leaseOwner: null })
      .where(and(eq(i.id, id), eq(i.leaseOwner, owner.name))),
  );
}
