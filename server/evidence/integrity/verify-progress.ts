import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { type ProgressOutput, progressInput } from "./schema";

/** Rows read so far by the verifications of this process that are being watched. */
const running = new Map<string, number>();

const keyOf = ({ actor }: Ctx, runId: string) => `${"id" in actor ? actor.id : actor.type}:${runId}`;

/**
 * Carries out a verification under the id that its asker gave it, so that the asker can see how far it is.
 * @returns what the work returns
 */
export async function watched<T>(
  ctx: Ctx,
  runId: string | undefined,
  work: (onProgress?: (rows: number) => void) => Promise<T>,
): Promise<T> {
  if (!runId) return work();
  const key = keyOf(ctx, runId);
  try {
    return await work((rows) => void running.set(key, rows));
  } finally {
    running.delete(key);
  }
}

/** How many rows one's own verification has read; null when it does not run, or runs in another process. */
export const getVerifyProgress = operation({
  permission: "audit:read",
  input: progressInput,
  output: typed<ProgressOutput>(),
  async run(ctx, { runId }) {
    return { rows: running.get(keyOf(ctx, runId)) ?? null };
  },
});
