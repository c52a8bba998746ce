import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditExports } from "@/db/schema";
import { isDeadOwner, ownerName } from "@/server/lease-owner";
import type { ExportRow } from "./export-job";

/** A claim that is not renewed for this long belongs to a dead process; another one takes over. */
export const LEASE_MS = 15_000;

const t = auditExports;

/** Another process writes the export now, or it was deleted. */
export class LostLease extends Error {}
/** The process is about to end; another one, or its successor, writes the export. */
export class Stopped extends Error {}

const leaseEnd = () => new Date(Date.now() + LEASE_MS);
const mine = ({ id, attempt }: ExportRow) =>
  and(eq(t.id, id), eq(t.attempt, attempt), eq(t.leaseOwner, ownerName), eq(t.status, "running"));

/** Frees what processes of this machine held that are no longer there, so that a restart need not wait for their claims. */
export async function freeDeadClaims(): Promise<void> {
  const held = await asSystem((tx) => tx.selectDistinct({ name: t.leaseOwner }).from(t).where(isNotNull(t.leaseOwner)));
  const dead = held.flatMap(({ name }) => (name && isDeadOwner(name) ? [name] : []));
  if (dead.length > 0)
    await asSystem((tx) => tx.update(t).set({ leaseUntil: null, leaseOwner: null }).where(inArray(t.leaseOwner, dead)));
}

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

/** Renews the claim, and stores how far the export is. @throws LostLease */
export async function renewLease(row: ExportRow, values: Partial<ExportRow> = {}): Promise<void> {
  const set = { ...values, leaseUntil: leaseEnd() };
  const [kept] = await asSystem((tx) => tx.update(t).set(set).where(mine(row)).returning({ id: t.id }));
  if (!kept) throw new LostLease();
}

/** Ends the work with its result. @throws LostLease when the export is another process's by now, or gone. */
export async function finishExport(row: ExportRow, values: Partial<ExportRow>): Promise<void> {
  const set = { ...values, leaseOwner: null, leaseUntil: null, finishedAt: new Date() };
  const [kept] = await asSystem((tx) => tx.update(t).set(set).where(mine(row)).returning({ id: t.id }));
  if (!kept) throw new LostLease();
}

/** Gives the claim back as if it had not been taken. */
export async function releaseExport(row: ExportRow): Promise<void> {
  const set = { leaseOwner: null, leaseUntil: null, attempt: row.attempt - 1 };
  await asSystem((tx) => tx.update(t).set(set).where(mine(row)));
}
