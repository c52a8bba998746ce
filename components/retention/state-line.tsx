"use client";

import { CalendarClock, Infinity as Endless } from "lucide-react";
import { zoneName } from "@/components/format/time";
import { When } from "@/components/format/when";
import { useZone } from "@/components/format/zone";
import type { Outputs } from "@/components/trpc";
import classes from "./retention.module.css";

/** The current setting, above the form. */
export function StateLine({ policy }: { policy: Outputs["retention"]["get"] }) {
  const { zone } = useZone();
  if (!policy.configured)
    return (
      <div className={classes.state} role="status">
        <Endless size={26} strokeWidth={1.5} aria-hidden />
        <div>
          <strong>Not configured: nothing is ever deleted</strong>
          <p>Audit entries accumulate until a period is saved below.</p>
        </div>
      </div>
    );
  return (
    <div className={classes.state} role="status">
      <CalendarClock size={26} strokeWidth={1.5} aria-hidden />
      <div>
        <strong>
          {policy.retentionDays === 1 ? "1 day" : `${policy.retentionDays?.toLocaleString("en-GB")} days`}
        </strong>
        <p>
          Last cleanup: <When at={policy.lastCleanupAt} none="none yet" />. Next:{" "}
          <When at={policy.nextRunAt} none="none, because nothing can be removed here" />
          {policy.nextRunAt && ` (${zoneName(zone, policy.lastCleanupAt, policy.nextRunAt)})`}.
        </p>
      </div>
    </div>
  );
}
