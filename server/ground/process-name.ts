import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "@/db/thrown";

/**
 * Unique name of this process: HOST-PID-START. HOST stands for machine, boot and process-id namespace, within which
 * process id and start time tell whether it lives.
 */
const NAME = /^([0-9a-f]{10})-(\d+)-([0-9a-z]+)$/;

/** The contents of a file; "" if it is missing. */
function readable(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** Clock ticks from boot to a process's start (proc(5), field 22), or "" without /proc. */
const startOf = (pid: number | "self"): string =>
  readable(
    () =>
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[19] ?? "",
  );

function identify(): { host: string; start: string } {
  const boot = readable(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  const namespace = readable(() => readlinkSync("/proc/self/ns/pid"));
  const host = createHash("sha256").update(`${hostname()}|${boot}|${namespace}`).digest("hex").slice(0, 10);
  const start = startOf("self") || `t${Math.round(Date.now() - process.uptime() * 1000)}`;
  return { host, start };
}
const { host, start } = identify();

export const processName = (): string => `${host}-${process.pid}-${start}`;

/** True if a process with this id exists on this machine. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** True if a named process lives; null if unknown from here. */
export function isProcessAlive(name: string): boolean | null {
  const [, ofHost, pid, started] = NAME.exec(name) ?? [];
  if (ofHost !== host) return null;
  if (name === processName()) return true;
  if (!exists(Number(pid))) return false;
  return started?.startsWith("t") ? null : startOf(Number(pid)) === started;
}
