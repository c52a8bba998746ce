/** Files that were chosen before their import was created: they wait here for its page, which sends them. */
const waiting = new Map<string, File[]>();

export const handOver = (importId: string, files: File[]): void => void waiting.set(importId, files);

/** The files that wait for an import; they are given away once. */
export function takeFiles(importId: string): File[] {
  const files = waiting.get(importId) ?? [];
  waiting.delete(importId);
  return files;
}
