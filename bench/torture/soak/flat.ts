import { openHandles, residentMiB } from "@/bench/processes";
import type { Server } from "@/testing/server";

/** Memory (MiB) and handles of a process at a moment. */
export type Held = { mb: number; handles: number };

export const heldBy = ({ child: { pid } }: Server): Held => ({
  mb: Math.round(residentMiB(pid)),
  handles: openHandles(pid),
});

/** Growth within this is caches and garbage collection. */
const MB_MARGIN = 60;
const MB_SHARE = 1.25;
const HANDLES_MARGIN = 40;
const HANDLES_SHARE = 1.05;

/** Growth from one moment to another of the same work. */
export function growth(first: Held | undefined, last: Held | undefined): string[] {
  if (!first || !last) return ["memory and handles were not measured twice"];
  const faults: string[] = [];
  if (last.mb > first.mb * MB_SHARE + MB_MARGIN) faults.push(`memory grew from ${first.mb} to ${last.mb} MB`);
  if (last.handles > first.handles * HANDLES_SHARE + HANDLES_MARGIN)
    faults.push(`handles grew from ${first.handles} to ${last.handles}`);
  return faults;
}
