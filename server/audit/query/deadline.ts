import type { Ctx } from "@/server/ground/context";

/** Time budget of a request; the answer names the parts not reached. */
const LIMITS_MS = {
  /** Budget for a text too short for the index; leaves time for the other parts. */
  scan: 120,
  /** Facets and histogram. */
  counts: 400,
  /** Deciding whether an export is large enough to need a recent identity check. */
  proof: 2_000,
};

/** leftMs() is 0 or negative once the time is up. */
export type Deadline = { leftMs: () => number };

/** Deadline of a request that starts searching now. */
export function deadlineOf({ now }: Pick<Ctx, "now">, kind: keyof typeof LIMITS_MS): Deadline {
  const end = now().getTime() + LIMITS_MS[kind];
  return { leftMs: () => end - now().getTime() };
}

export const isOver = (deadline: Deadline | undefined): boolean => deadline !== undefined && deadline.leftMs() <= 0;
