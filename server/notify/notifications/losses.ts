import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { recordingLosses } from "@/db/schema";
import { recordingStats } from "@/server/audit/record/record";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { env } from "@/server/ground/env";

const EVERY_MS = 60_000;

const t = recordingLosses;

/** A process is identified by its spool, in its data folder. */
const spoolId = (): string =>
  createHash("sha256").update(`${hostname()}\n${env().TRAILMARK_DATA_DIR}`).digest("hex").slice(0, 32);

/** Part of this process's counter, which starts at 0, already stored. */
const reported = { dropped: 0 };

type Lost = Pick<ReturnType<typeof recordingStats>, "dropped" | "deadLetters">;

/** Stores the number of events lost by this process, for whichever process evaluates next. */
export async function reportLosses(now: Date, stats: Lost = recordingStats(), id = spoolId()): Promise<void> {
  const lost = Math.max(0, stats.dropped - reported.dropped);
  const droppedAt = lost > 0 ? now : null;
  const values = { spoolId: id, dropped: lost, droppedAt, deadLetters: stats.deadLetters, seenAt: now };
  await asSystem((tx) =>
    tx
      .insert(t)
      .values(values)
      .onConflictDoUpdate({
        target: t.spoolId,
        set: {
          dropped: sql`${t.dropped} + excluded.dropped`,
          droppedAt: sql`coalesce(excluded.dropped_at, ${t.droppedAt})`,
          deadLetters: sql`excluded.dead_letters`,
          seenAt: sql`excluded.seen_at`,
        },
      }),
  );
  reported.dropped = stats.dropped;
}

const loop = backgroundLoop("lost events", EVERY_MS, () => reportLosses(new Date()));

/** Stores this process's losses every minute, and again when it stops, because no other process knows them. */
export const lossReporter = {
  ...loop,
  async stop(): Promise<void> {
    await loop.stop();
    if (recordingStats().dropped > reported.dropped) await reportLosses(new Date());
  },
};
