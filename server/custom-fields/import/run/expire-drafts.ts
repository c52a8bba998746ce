import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { and, eq, isNull, lt, type SQL } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { importFolder } from "@/server/custom-fields/import/record";
import { DRAFT_DAYS } from "@/server/custom-fields/import/schema";
import type { JobKind } from "@/server/ground/jobs";
import { DAY_MS } from "@/server/ground/time/durations";
import { clearTables } from "./tables/staged";

const DRAFT_MS = DRAFT_DAYS * DAY_MS;
const i = customFieldImports;

/** Deletes an import with its rows and results; after the commit its files are removed by `rm(importFolder(id))`. */
export async function deleteImport(tx: Tx, id: string): Promise<void> {
  await clearTables(tx, id, ["rows", "results", "changes", "edits"]);
  await tx.delete(i).where(eq(i.id, id));
}

const isOver = (before: Date): SQL | undefined => and(isNull(i.startedAt), isNull(i.job), lt(i.updatedAt, before));

const idsOf = (where: SQL | undefined): Promise<{ id: string }[]> =>
  asSystem((tx) => tx.select({ id: i.id }).from(i).where(where));

/** Removes folders without an active import, left by a process that died between database and disk. */
async function removeOrphans(before: Date): Promise<void> {
  const root = join(importFolder("x"), "..");
  const names = await readdir(root).catch(() => []);
  if (names.length === 0) return;
  const known = new Set((await idsOf(isNull(i.finishedAt))).map(({ id }) => id));
  for (const name of names) {
    if (known.has(name)) continue;
    // A finished run may have removed its own folder by now.
    const found = await stat(join(root, name)).catch(() => null);
    if (found && found.mtime < before) await rm(join(root, name), { recursive: true, force: true });
  }
}

/**
 * Deletes imports that never ran and were untouched for seven days, with their files, which may hold secrets. @returns
 * their number.
 */
export async function expireDrafts(now = new Date()): Promise<number> {
  const before = new Date(now.getTime() - DRAFT_MS);
  let count = 0;
  for (const { id } of await idsOf(isOver(before))) {
    const isGone = await asSystem(async (tx) => {
      const [row] = await tx
        .select({ id: i.id })
        .from(i)
        .where(and(eq(i.id, id), isOver(before)))
        .for("update", { skipLocked: true });
      if (row) await deleteImport(tx, id);
      return row !== undefined;
    });
    if (!isGone) continue;
    count++;
    await rm(importFolder(id), { recursive: true, force: true });
  }
  await removeOrphans(before);
  return count;
}

/** Job that deletes imports that were never run. */
export const importExpiry: JobKind<object> = {
  name: "import-expiry",
  cron: "17 * * * *",
  atOnce: 1,
  maxAttempts: 1,
  async run() {
    await expireDrafts();
  },
};
