import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";

/** User and folder to run PostgreSQL: nobody if we are root (PostgreSQL refuses root), else ourselves. */
export type Runner = { uid?: number; gid?: number; cwd: string };

const NOBODY_UID = 65534;

/** The caller's variables (PGPORT, PGDATA, LD_LIBRARY_PATH, TZ …) must not affect the cluster. */
export const POSTGRES_ENV: NodeJS.ProcessEnv = {
  NODE_ENV: "production", // Only for the type.
  PATH: process.env.PATH,
  LC_ALL: "C",
  ...(process.platform === "win32" && {
    SYSTEMROOT: process.env.SYSTEMROOT,
    TEMP: process.env.TEMP,
  }),
};

export function runner(): Runner {
  if (process.platform === "win32") return { cwd: process.cwd() };
  return process.getuid?.() === 0 ? { uid: NOBODY_UID, gid: NOBODY_UID, cwd: "/" } : { cwd: "/" };
}

type Started = Partial<Runner> & { env?: Record<string, string>; detached?: boolean; input?: string };

/** Runs a program of PostgreSQL to its end: its exit code, and the last errors that it wrote. */
export function runProgram(
  command: string,
  args: readonly string[],
  { env = {}, input = "", ...options }: Started,
): Promise<{ code: number | null; errors: string }> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      ...options,
      env: { ...POSTGRES_ENV, ...env },
      stdio: ["pipe", "ignore", "pipe"],
      windowsHide: true,
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = `${errors}${text}`.slice(-4_000);
    });
    child.once("error", fail);
    child.once("close", (code) => done({ code, errors: errors.trim() }));
    // A program that ends without reading its input breaks the pipe.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** True if the runner may traverse every folder down to this one. */
export function canEnter(folder: string, { uid, gid }: Runner): boolean {
  if (uid === undefined) return true;
  for (let at = folder; ; at = dirname(at)) {
    const stat = statSync(at);
    const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
    if ((stat.mode & bit) === 0) return false;
    if (dirname(at) === at) return true;
  }
}
