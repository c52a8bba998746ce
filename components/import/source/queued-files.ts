/** Files chosen before their import was created; the import's page uploads them. */
const queued = new Map<string, File[]>();

export const queueFiles = (importId: string, files: File[]): void => void queued.set(importId, files);

/** Takes the files of an import out of the queue. */
export function takeQueuedFiles(importId: string): File[] {
  const files = queued.get(importId) ?? [];
  queued.delete(importId);
  return files;
}
