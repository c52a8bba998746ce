import { openHandles, residentMb } from "@/bench/torture/folder";
import type { Server } from "@/testing/server";

/** Resources of a process at a moment. */
export type Held = { mb: number; handles: number };

export const heldBy = (server: Server): Held => ({ mb: Math.round(residentMb(server)), handles: openHandles(server) });

/** Growth within this is caches and garbage collection. */
const MB_MARGIN = 60;
const MB_SHARE = 1.25;
const HANDLES_MARGIN = 40;
const HANDLES_SHARE = 1.05;

/** Growth of resources between two moments. */
export function growth(first: Held | undefined, last: Held | undefined): string[] {
  if (!first || !last) return ["memory and handles were not measured twice"];
  const faults: string[] = [];
  if (last.mb > first.mb * MB_SHARE + MB_MARGIN) faults.push(`memory grew from ${first.mb} to ${last.mb} MB`);
  if (last.handles > first.handles * HANDLES_SHARE + HANDLES_MARGIN)
    faults.push(`handles grew from ${first.handles} to ${last.handles}`);
  return faults;
}
