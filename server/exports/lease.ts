import { and, eq, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { asSystem } from "@/db/client";
import { auditExports } from "@/db/schema";
import { LostLease, leaseEnd, ownerName, RELEASED } from "@/server/ground/lease";
import type { ExportRow } from "./export-job";

const t = auditExports;

const mine = ({ id, attempt }: ExportRow) =>
  and(eq(t.id, id), eq(t.attempt, attempt), eq(t.leaseOwner, ownerName), eq(t.status, "running"));

/** Claims the export that has waited longest and that no process writes; it is begun again. */
export async function claimExport(): Promise<ExportRow | undefined> {
  const free = sql`(SELECT id FROM audit_exports
    WHERE status IN ('waiting', 'running') AND (lease_until IS NULL OR lease_until < now())
    ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)`;
  const [row] = await asSystem((tx) =>
    tx
      .update(t)
      .set({
        status: "running",
        attempt: sql`${t.attempt} + 1`,
        leaseOwner: ownerName,
        leaseUntil: leaseEnd(),
        rowsDone: 0,
        sizeBytes: 0,
      })
      .where(eq(t.id, free))
      .returning(),
  );
  return row;
}

async function store(row: ExportRow, values: PgUpdateSetSource<typeof t>): Promise<void> {
  const [kept] = await asSystem((tx) => tx.update(t).set(values).where(mine(row)).returning({ id: t.id }));
  if (!kept) throw new LostLease();
}

/** Renews the claim, and stores how far the export is. @throws LostLease */
export const renewLease = (row: ExportRow, values: Partial<ExportRow> = {}): Promise<void> =>
  store(row, { ...values, leaseUntil: leaseEnd() });

/** Ends the work with its result. @throws LostLease when the export is another process's by now, or gone. */
export const finishExport = (row: ExportRow, values: Partial<ExportRow>): Promise<void> =>
  store(row, { ...values, ...RELEASED, finishedAt: new Date() });

/** Gives the claim back as if it had not been taken. */
export async function releaseExport(row: ExportRow): Promise<void> {
  await asSystem((tx) =>
    tx
      .update(t)
      .set({ ...RELEASED, attempt: row.attempt - 1 })
      .where(mine(row)),
  );
}
