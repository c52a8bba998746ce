import { statfs } from "node:fs/promises";
import { AppError } from "./errors";

/** Free space to keep on the data folder's disk for the audit trail. */
const RESERVED_BYTES = 256 * 1024 * 1024;

/** True if a write failed because the disk or quota is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

/** @throws AppError unavailable, with the given message, when only the log's reserve is left on a folder's disk. */
export async function requireFreeDisk(folder: string, message: string, more = 0): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < RESERVED_BYTES + more) throw new AppError("unavailable", message);
}
