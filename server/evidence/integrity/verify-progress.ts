import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { type ProgressOutput, progressInput } from "./schema";

/** Rows read so far by watched verifications of this process. */
const running = new Map<string, number>();

const keyOf = ({ actor }: Ctx, runId: string) => `${"id" in actor ? actor.id : actor.type}:${runId}`;

/**
 * Runs a verification under the caller's id, so that the caller can follow its progress.
 * @returns the result of the work
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

/** Rows read by the caller's own verification; null if it is not running, or in another process. */
export const getVerifyProgress = operation({
  permission: "audit:read",
  input: progressInput,
  output: typed<ProgressOutput>(),
  async run(ctx, { runId }) {
    return { rows: running.get(keyOf(ctx, runId)) ?? null };
  },
});
