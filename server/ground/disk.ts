import { statfs } from "node:fs/promises";
import { AppError } from "./errors";

/** Space left free on the data folder's disk: the audit trail itself must not run out of it. */
const RESERVED_BYTES = 256 * 1024 * 1024;

/** True where a write failed because the disk, or what may be used of it, is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

/** @throws AppError unavailable, with the message to show, when a folder's disk has only left what the log needs. */
export async function requireFreeDisk(folder: string, message: string, more = 0): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < RESERVED_BYTES + more) throw new AppError("unavailable", message);
}
