import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { gt, max, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { recordingLosses } from "@/db/schema";
import { recordingStats } from "@/server/audit/record/record";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { env } from "@/server/ground/env";
import { LOSS_SHOWN_MS } from "@/server/notify/vocabulary";
import type { Finding } from "./finding";
import { homeOrganizations } from "./open-of";

const EVERY_MS = 60_000;

const t = recordingLosses;

/** A process is known by its spool, which is in its data folder. */
const spoolId = (): string =>
  createHash("sha256").update(`${hostname()}\n${env().TRAILMARK_DATA_DIR}`).digest("hex").slice(0, 32);

/** How much of its counter, which starts at 0 with each process, this process has stored already. */
const reported = { dropped: 0 };

type Lost = Pick<ReturnType<typeof recordingStats>, "dropped" | "deadLetters">;

/** Stores how many events this process lost, so that whichever process evaluates next knows. */
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

/**
 * Tells of this process's losses: each process has its own, whether it evaluates conditions or not. What it lost since it
 * last did so it tells at its end, for nobody else knows of it.
 */
export const lossReporter = {
  ...loop,
  async stop(): Promise<void> {
    await loop.stop();
    if (recordingStats().dropped > reported.dropped) await reportLosses(new Date());
  },
};

/** Events that any process lost lately, or set aside. It is not known whose they were: every partner is notified. */
export async function checkLostEvents(now: Date): Promise<Finding[]> {
  const since = new Date(now.getTime() - LOSS_SHOWN_MS).toISOString();
  const [row] = await asSystem((tx) =>
    tx
      .select({
        dropped: sql<number>`coalesce(sum(${t.dropped}) FILTER (WHERE ${t.droppedAt} > ${since}::timestamptz), 0)::float8`,
        at: max(t.droppedAt),
        setAside: sql<number>`coalesce(sum(${t.deadLetters}), 0)::float8`,
      })
      .from(t)
      .where(gt(t.seenAt, new Date(since))),
  );
  const { dropped = 0, setAside = 0, at } = row ?? {};
  const homes = dropped + setAside > 0 ? await homeOrganizations() : [];
  const detail = { count: dropped, setAside, ...(at && { at: at.toISOString() }) };
  return [{ kind: "events.lost", checked: "all", found: homes.map(({ orgId }) => ({ orgId, holds: true, detail })) }];
}
