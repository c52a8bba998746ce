import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const NOBODY_UID = 65534;
export const isRoot = process.getuid?.() === 0;
const STOP_MS = 8_000;

/** A program of the cluster: started, killed like a lost machine, or stopped. */
export type Part = { name: string; start: () => void; kill: () => Promise<void>; stop: () => Promise<void> };

type Program = { name: string; file: string; args: string[]; folder: string };

/** A program, run as "nobody" if this process is root; its output goes to a file of the cluster's folder. */
export function part({ name, file, args, folder }: Program): Part {
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(signal);
    await Promise.race([ended, sleep(STOP_MS).then(() => ending.kill("SIGKILL"))]);
    await ended;
  };
  return {
    name,
    start() {
      const log = openSync(join(folder, `${name}.log`), "a");
      child = spawn(file, args, {
        cwd: folder,
        env: { PATH: process.env.PATH ?? "", HOME: folder, NODE_ENV: "production", LC_ALL: "C.UTF-8" },
        stdio: ["ignore", log, log],
        ...(isRoot && { uid: NOBODY_UID, gid: NOBODY_UID }),
      });
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
