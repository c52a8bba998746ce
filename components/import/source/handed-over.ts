/** Files chosen before their import was created; the import's page uploads them. */
const waiting = new Map<string, File[]>();

export const handOver = (importId: string, files: File[]): void => void waiting.set(importId, files);

/** Takes the files of an import out of the queue. */
export function takeFiles(importId: string): File[] {
  const files = waiting.get(importId) ?? [];
  waiting.delete(importId);
  return files;
}
