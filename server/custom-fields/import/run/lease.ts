import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { type ImportRecord, toRecord } from "@/server/custom-fields/import/record";
import { LostLease, leaseEnd, ownerName, RELEASED, Stopped } from "@/server/ground/lease";

/** This process's name on its claims, and whether it is about to end. */
export const owner = { name: ownerName, isStopping: false };
const i = customFieldImports;

/** A person asked for the work to end. */
export class Cancelled extends Error {}

/** A piece of an import's work: what is said late of an earlier piece must not reach the next one of the same import. */
export type Claim = { id: string; job: string | null; jobStartedAt: Date | null };

const startedAt = ({ jobStartedAt }: Claim): SQL =>
  jobStartedAt ? eq(i.jobStartedAt, jobStartedAt) : isNull(i.jobStartedAt);

/** The import while this process has this piece of its work. */
const mine = (claim: Claim) =>
  and(eq(i.id, claim.id), eq(i.leaseOwner, owner.name), eq(i.job, claim.job ?? ""), startedAt(claim));

/** Claims the longest waiting work that no process holds, under a row lock that other processes skip. */
export async function claimImport(): Promise<Claim | null> {
  const free = sql`(
    SELECT id FROM custom_field_imports WHERE job IS NOT NULL AND (lease_until IS NULL OR lease_until < now())
    ORDER BY job_started_at LIMIT 1 FOR UPDATE SKIP LOCKED)`;
  const [claim] = await asSystem((tx) =>
    tx
      .update(i)
      .set({ leaseOwner: owner.name, leaseUntil: leaseEnd() })
      .where(eq(i.id, free))
      .returning({ id: i.id, job: i.job, jobStartedAt: i.jobStartedAt }),
  );
  return claim ?? null;
}

/** The import whose work this is. @throws LostLease when this process has not got that work any more. */
export async function readClaimed(claim: Claim): Promise<ImportRecord> {
  const [row] = await asSystem((tx) => tx.select().from(i).where(mine(claim)));
  if (!row) throw new LostLease();
  return toRecord(row);
}

/**
 * Renews the claim while work is in progress, and stores the progress.
 * @throws LostLease, Cancelled, Stopped.
 */
export async function renewLease(claim: Claim, jobDone?: number): Promise<void> {
  const [row] = await asSystem((tx) =>
    tx
      .update(i)
      .set({ leaseUntil: leaseEnd(), ...(jobDone === undefined ? {} : { jobDone }) })
      .where(mine(claim))
      .returning({ cancelRequested: i.cancelRequested }),
  );
  if (!row) throw new LostLease();
  if (row.cancelRequested) throw new Cancelled();
  if (owner.isStopping) throw new Stopped();
}

/** For the end of an import's work, which nothing cuts short; the transaction has locked the import. @throws LostLease. */
export function requireClaimed(locked: ImportRecord, claim: Claim): void {
  const isSame = locked.job === claim.job && locked.jobStartedAt?.getTime() === claim.jobStartedAt?.getTime();
  if (locked.leaseOwner !== owner.name || !locked.job || !isSame) throw new LostLease();
}

/** The same for work that goes on. @throws LostLease, Cancelled, Stopped. */
export function requireLease(locked: ImportRecord, claim: Claim): void {
  requireClaimed(locked, claim);
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
export async function finishWork(tx: Tx, claim: Claim, values: object): Promise<void> {
  const rest = { ...RELEASED, job: null, cancelRequested: false, updatedAt: new Date() };
  const done = await tx
    .update(i)
    .set({ ...rest, ...values })
    .where(mine(claim))
    .returning({ id: i.id });
  if (done.length === 0) throw new LostLease();
}

/** Gives the claim back, so that the next process need not wait for it to run out. */
export async function releaseLease(claim: Claim): Promise<void> {
  await asSystem((tx) => tx.update(i).set(RELEASED).where(mine(claim)));
}
