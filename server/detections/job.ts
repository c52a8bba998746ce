import { lte } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { detectionWindows } from "@/db/schema";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { enqueue, type JobKind } from "@/server/ground/jobs";
import { log } from "@/server/ground/log";
import { recordAlerts } from "./evaluate/record-alerts";
import { evaluateOrganization, fillPositions, organizationsBehind } from "./evaluate/run";
import { seedShippedRules } from "./shipped/seed";

/** Cleans up once a minute, beside the evaluation. */
async function tidy(): Promise<void> {
  await asSystem(seedShippedRules);
  await asSystem(fillPositions);
  await asSystem((tx) => tx.delete(detectionWindows).where(lte(detectionWindows.expiresAt, new Date())));
  await recordAlerts();
}

/** Evaluates every rule up to the heads of the chains. woken: by new entries, else every minute. */
export const detectionJob: JobKind<{ woken?: boolean }> = {
  name: "detections",
  cron: "* * * * *",
  atOnce: 1,
  maxAttempts: 1,
  async run({ woken }, { signal }) {
    if (!woken) await tidy();
    for (const orgId of await asSystem(organizationsBehind)) {
      if (signal.aborted) return;
      try {
        await evaluateOrganization(orgId, { signal });
      } catch (err) {
        log.warn({ err, orgId }, "the rules of an organization could not be evaluated");
      }
    }
  },
};

const WAKE_MS = 1_000;

/** Starts an evaluation when chains have grown. */
export const detectionWatch = backgroundLoop("detections", WAKE_MS, () =>
  asSystem(async (tx) => {
    const behind = await organizationsBehind(tx);
    if (behind.length > 0) await enqueue(tx, detectionJob, { key: "woken", data: { woken: true } });
  }),
);
