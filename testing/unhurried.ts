import type { Ctx } from "@/server/ground/context";

/** A caller whose clock stands still, so that no search ends early however busy the machine. */
export function unhurried(ctx: Ctx): Ctx {
  const now = ctx.now();
  return { ...ctx, now: () => now };
}
