import type { ImportStatus } from "@/server/custom-fields/import/schema";
import { AppError, invalid } from "@/server/ground/errors";
import type { ImportRecord, StoredFile } from "./record";

const IN_WORDS: Record<ImportStatus, string> = {
  draft: "whose files have not been read",
  staged: "that has not been checked",
  checked: "that has not been run",
  running: "that is running",
  done: "that has run",
  cancelled: "that was cancelled",
  undone: "that was undone",
};

/** @throws AppError conflict while background work is under way, or in a status that does not allow the step. */
export function requireIdle(found: ImportRecord, ...statuses: ImportStatus[]): void {
  if (found.job) throw new AppError("conflict", "The import is busy; wait until it has finished.");
  if (!statuses.includes(found.status))
    throw new AppError("conflict", `This cannot be done with an import ${IN_WORDS[found.status]}.`);
}

/** Another one after each change, by any person. */
export const revisionOf = (row: ImportRecord): string => row.updatedAt.toISOString();

/** @throws AppError conflict where the import is not the one that the caller has seen. */
export function requireRevision(found: ImportRecord, revision: string | undefined, advice: string): void {
  if (revision !== undefined && revision !== revisionOf(found))
    throw new AppError("conflict", `Somebody has changed this import, perhaps in another window. ${advice}`);
}

/** When the work was started that is under way. */
export const workStart = ({ jobStartedAt, updatedAt }: ImportRecord): Date => jobStartedAt ?? updatedAt;

/** @throws AppError conflict where the work under way is not the one that the caller has seen, by its start. */
export function requireWork(found: ImportRecord, seen: Date | undefined): void {
  if (seen && seen.getTime() !== workStart(found).getTime())
    throw new AppError("conflict", "Somebody has started other work on this import. Look at it before you cancel it.");
}

/** @throws AppError validation_failed for a file that is not there or has not arrived completely. */
export function completeFile(found: ImportRecord, fileNo: number): StoredFile {
  const file = found.files[fileNo];
  if (!file) throw invalid("fileNo", "there is no such file");
  if (!file.complete) throw invalid("fileNo", "the file has not arrived completely");
  return file;
}
