import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Temporary folder of a test run and its processes, removed afterwards. */
export default function setup(): () => void {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "tests-"));
  // Root's tests start PostgreSQL as another user, who must traverse it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** A new folder, removed after the run. */
export const tempFolder = (): string => mkdtempSync(join(tmpdir(), "test-"));
