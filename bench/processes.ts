import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks of /proc, 100 a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;
const KIB = 1024;

type Times = { parent: number; own: number; reaped: number };

/** Processor time of a process and of its children that have ended, in ms; undefined when it is gone. */
function timesOf(pid: number): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second member is a name in parentheses, which may hold spaces.
    const members = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const at = (n: number) => Number(members[n - 3]);
    return { parent: at(4), own: (at(14) + at(15)) * MS_PER_TICK, reaped: (at(16) + at(17)) * MS_PER_TICK };
  } catch {
    return undefined;
  }
}

/** Processor time of a process, its children, and those of them that have ended, in ms. Linux alone. */
export function cpuMs(pid: number): number {
  const self = timesOf(pid);
  if (!self) return Number.NaN;
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times?.parent === pid);
  return children.reduce((sum, times) => sum + (times?.own ?? 0) + (times?.reaped ?? 0), self.own + self.reaped);
}

/** Resident memory of a process in MiB. Linux alone. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / KIB;
}

/** The most resident memory of a process, in MiB, while something is done. */
export async function peakMiB(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = residentMiB(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMiB(pid));
  }, 50);
  await work().finally(() => clearInterval(timer));
  return Math.max(peak, residentMiB(pid));
}
