import { backgroundLoop } from "@/server/process/background-loop";
import { gauge } from "@/server/process/metrics";
import { refreshAlarms } from "./alarm";
import { listLostHeads, raiseHeadAlarms } from "./heads";
import { raiseLostAlarms } from "./lost-alarms";

const POLL_MS = 15_000;

/** How many chains have lost their head, polled for the metric. */
const lost = { count: 0 };

/**
 * Keeps the metrics of this process at what the database holds, and raises the alarm of a chain that lost its head, or
 * whose alarm was deleted.
 */
export const alarmWatch = backgroundLoop("audit alarms", POLL_MS, async () => {
  gauge("trailmark_audit_lost_heads", "Organizations whose chain lost its head or its end", () => lost.count);
  await raiseLostAlarms();
  const known = await refreshAlarms(POLL_MS);
  const heads = await listLostHeads();
  lost.count = heads.length;
  await raiseHeadAlarms(heads.filter(({ orgId }) => !known.has(orgId)));
});
