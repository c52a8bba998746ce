import { eq, max } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { auditVerifications } from "@/db/schema";
import type { DailyJob } from "@/server/process/daily-jobs";
import { VERIFICATION_CRON } from "@/server/retention/schema";
import { runNightly } from "./nightly";

/** The nightly verification of every chain, an hour before pruning. */
export const verificationJob: DailyJob = {
  name: "verification",
  cron: VERIFICATION_CRON,
  async lastRanAt() {
    const { ranAt, kind } = auditVerifications;
    const [row] = await asSystem((tx) =>
      tx
        .select({ at: max(ranAt) })
        .from(auditVerifications)
        .where(eq(kind, "nightly")),
    );
    return row?.at ?? null;
  },
  async run(signal) {
    await runNightly({ signal });
  },
};
