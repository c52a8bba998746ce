import type { Ctx } from "@/server/ground/context";

/** A caller with a stopped clock, so that no search ends early on a busy machine. */
export function unhurried(ctx: Ctx): Ctx {
  const now = ctx.now();
  return { ...ctx, now: () => now };
}
