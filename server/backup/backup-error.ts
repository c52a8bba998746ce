/** Thrown with a sentence for the operator; `expected` tells the door to print no stack. */
export class BackupError extends Error {
  readonly expected = true;
}

/** What an operator can do something about, in a sentence; anything else as it is. */
export function explained(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new BackupError(`The disk of ${path} is full: no backup was written, and nothing is left of the attempt.`);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new BackupError(`${path} cannot be written: ${(error as Error).message}`);
  if (code === "ENOENT") return new BackupError(`A file or folder is missing: ${(error as Error).message}`);
  return error;
}
