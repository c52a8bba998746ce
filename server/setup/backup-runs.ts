import { basename } from "node:path";
import { desc, eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { backupRuns, organizations } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { systemCtx } from "@/server/ground/context";

/** A stored backup or restore; takenAt is the start of the backup. */
export type BackupRun = { kind: "backup" | "restore"; takenAt: Date; file: string; bytes: number; hasKeys: boolean };

/**
 * Stores a backup or restore, and records it in every partner's home organization, because it concerns all
 * organizations.
 */
export async function recordRun(run: BackupRun): Promise<void> {
  const homes = await asSystem(async (tx) => {
    await tx.insert(backupRuns).values(run);
    return tx.select({ id: organizations.id }).from(organizations).where(eq(organizations.isHome, true));
  });
  for (const { id } of homes)
    record(systemCtx(), {
      action: run.kind === "backup" ? "backup.created" : "backup.restored",
      orgId: id,
      resourceType: "backup",
      resourceName: basename(run.file),
      details: { takenAt: run.takenAt.toISOString(), bytes: run.bytes, hasKeys: run.hasKeys },
    });
}

/** Newest backup by a command of this installation; null before the first. */
export async function lastBackup(): Promise<(BackupRun & { ranAt: Date }) | null> {
  const [row] = await asSystem((tx) =>
    tx.select().from(backupRuns).where(eq(backupRuns.kind, "backup")).orderBy(desc(backupRuns.ranAt)).limit(1),
  );
  return row ?? null;
}
