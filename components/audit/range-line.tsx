"use client";

import { dateTime, zoneName } from "../shell/time";
import { useZone } from "../shell/zone";
import { spanOf, type View } from "./filters";
import classes from "./viewer.module.css";

/** The span in absolute times, how much of it is shown, and the zone, said once. */
export function RangeLine({ view, now, shown }: { view: View; now: Date; shown: number | null }) {
  const { zone, local, isUtc, setUtc } = useZone();
  const { from, to } = spanOf(view, zone, now);
  return (
    <div className={classes.line}>
      <span>
        {from || to
          ? `${from ? dateTime(from, zone) : "The beginning"} to ${to ? dateTime(to, zone) : "now"}`
          : "Everything, newest first"}
      </span>
      <span>
        Times in {zoneName(zone)}{" "}
        {local !== "UTC" && (
          <button type="button" className={classes.textButton} onClick={() => setUtc(!isUtc)}>
            {isUtc ? "Show local time" : "Show UTC"}
          </button>
        )}
      </span>
      <span role="status">
        {shown === null ? "" : shown === 1 ? "1 entry on this page" : `${shown} entries on this page`}
      </span>
    </div>
  );
}
