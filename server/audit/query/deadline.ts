import type { Ctx } from "@/server/ground/context";

/** How long a request looks for rows; its answer says what it has not come to by then, or counts as many. */
const LIMITS_MS = {
  /** A short text, which no index serves: what an answer to it may take, less what comes before and after. */
  scan: 120,
  /** Facets and histogram. */
  counts: 400,
  /** Whether rows are so many that a recent proof of identity is needed. */
  proof: 2_000,
};

/** When to stop looking; the milliseconds left are negative or 0 from then on. */
export type Deadline = { leftMs: () => number };

/** The deadline of a request that begins to look now, by its clock. */
export function deadlineOf({ now }: Pick<Ctx, "now">, kind: keyof typeof LIMITS_MS): Deadline {
  const end = now().getTime() + LIMITS_MS[kind];
  return { leftMs: () => end - now().getTime() };
}

export const isOver = (deadline: Deadline | undefined): boolean => deadline !== undefined && deadline.leftMs() <= 0;
