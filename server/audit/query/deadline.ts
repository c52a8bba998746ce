import type { Ctx } from "@/server/ground/context";

/** Time budget of a request; its answer says what was not reached. */
const LIMITS_MS = {
  /** A text too short for the index: leaves room for the rest of the request. */
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
