import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks of /proc, 100 a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;
const KIB = 1024;

type Times = { parent: number; own: number; reaped: number };

/** CPU time of a process and its ended children, in ms; undefined if it is gone. */
function timesOf(pid: number): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is a name in parentheses, which may contain spaces.
    const members = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const at = (n: number) => Number(members[n - 3]);
    return { parent: at(4), own: (at(14) + at(15)) * MS_PER_TICK, reaped: (at(16) + at(17)) * MS_PER_TICK };
  } catch {
    return undefined;
  }
}

/** CPU time of a process, its children, and ended ones, in ms. Linux only. */
export function cpuMs(pid: number): number {
  const self = timesOf(pid);
  if (!self) return Number.NaN;
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times?.parent === pid);
  return children.reduce((sum, times) => sum + (times?.own ?? 0) + (times?.reaped ?? 0), self.own + self.reaped);
}

/** Resident memory of a process in MiB; 0 where the system does not report it. */
export function residentMiB(pid = 0): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / KIB;
  } catch {
    return 0;
  }
}

/** Files and sockets that a process has open; 0 where the system does not report it. */
export function openHandles(pid = 0): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

const SAMPLE_MS = 10;

/** Peak resident memory of a process in MiB during some work. */
export async function peakMiB(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = residentMiB(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMiB(pid));
  }, SAMPLE_MS);
  await work().finally(() => clearInterval(timer));
  return Math.max(peak, residentMiB(pid));
}

/** Growth of this process's peak resident memory during some work, in MiB. */
export async function growthOf(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = residentMiB(process.pid);
  return (await peakMiB(process.pid, work)) - before;
}
