import { and, eq, isNotNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import type { ImportRecord } from "@/server/custom-fields/import/record/record";
import { LEASE_MS, LostLease, leaseEnd, ownerName, RELEASED, Stopped } from "@/server/lease";

/** This process's name on its claims, and whether it is about to end. */
export const owner = { name: ownerName, isStopping: false };
const i = customFieldImports;

/** A person asked for the work to end. */
export class Cancelled extends Error {}

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
  const rest = { ...RELEASED, job: null, cancelRequested: false, updatedAt: new Date() };
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
      .set(RELEASED)
      .where(and(eq(i.id, id), eq(i.leaseOwner, owner.name))),
  );
}
