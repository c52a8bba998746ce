import { codeOf, messageOf } from "@/db/thrown";

/** Thrown with a sentence for the operator; `expected` means that no stack is printed. */
export class BackupError extends Error {
  readonly expected = true;
}

/** What an operator can do something about, in a sentence; anything else as it is. */
export function explained(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT")
    return new BackupError(`The disk of ${path} is full: no backup was written, and nothing is left of the attempt.`);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new BackupError(`${path} cannot be written: ${messageOf(error)}`);
  if (code === "ENOENT") return new BackupError(`A file or folder is missing: ${messageOf(error)}`);
  return error;
}
