import { and, eq, isNotNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { type ImportRecord, toRecord } from "@/server/custom-fields/import/record";

const i = customFieldImports;

/** A person cancelled the work. */
export class Cancelled extends Error {}
/** The work has ended, was restarted elsewhere, or the import was deleted. */
export class Gone extends Error {}

/** One attempt at an import's work; signal: another process will continue. */
export type Attempt = { id: string; attempt: number; signal: AbortSignal };

/** The import, if this attempt is still the newest. */
const mine = ({ id, attempt }: Attempt) => and(eq(i.id, id), eq(i.attempt, attempt), isNotNull(i.job));

/**
 * Starts or continues an import's work, once the earlier attempt has stored its chunk; later results of that attempt
 * have no effect.
 * @returns null if there is nothing to do
 */
export async function beginAttempt(id: string, signal: AbortSignal): Promise<Attempt | null> {
  const [row] = await asSystem((tx) =>
    tx
      .update(i)
      .set({ attempt: sql`${i.attempt} + 1` })
      .where(and(eq(i.id, id), isNotNull(i.job)))
      .returning({ attempt: i.attempt }),
  );
  return row ? { id, attempt: row.attempt, signal } : null;
}

/** @throws Gone, Cancelled, or the signal's reason. */
function requireWanted(row: { cancelRequested: boolean } | undefined, { signal }: Attempt): void {
  if (!row) throw new Gone();
  if (row.cancelRequested) throw new Cancelled();
  signal.throwIfAborted();
}

/** Import of this work. @throws Gone. */
export async function readWork(attempt: Attempt): Promise<ImportRecord> {
  const [row] = await asSystem((tx) => tx.select().from(i).where(mine(attempt)));
  if (!row) throw new Gone();
  return toRecord(row);
}

/** Stores the progress of running work. @throws Gone, Cancelled, or the signal's reason. */
export async function storeProgress(attempt: Attempt, jobDone: number): Promise<void> {
  const [row] = await asSystem((tx) =>
    tx.update(i).set({ jobDone }).where(mine(attempt)).returning({ cancelRequested: i.cancelRequested }),
  );
  requireWanted(row, attempt);
}

/**
 * Checks the end of an import's work, which cannot be cancelled; the transaction has locked the import. @throws Gone.
 */
export function requireNewest(locked: ImportRecord, { attempt }: Attempt): void {
  if (locked.attempt !== attempt || !locked.job) throw new Gone();
}

/** Checks running work. @throws Gone, Cancelled, or the signal's reason. */
export function requireGoing(locked: ImportRecord, attempt: Attempt): void {
  requireNewest(locked, attempt);
  requireWanted(locked, attempt);
}

/** Ends the work with its result. @throws Gone. */
export async function finishWork(tx: Tx, attempt: Attempt, values: object): Promise<void> {
  const done = await tx
    .update(i)
    .set({ job: null, cancelRequested: false, updatedAt: new Date(), ...values })
    .where(mine(attempt))
    .returning({ id: i.id });
  if (done.length === 0) throw new Gone();
}
