"use client";

import { useOrg } from "@/components/account/org";
import classes from "@/components/audit/viewer.module.css";
import { count, counted } from "@/components/format/amounts";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import type { View } from "./address";
import { spanOf } from "./list-input";
import type { Span } from "./range";

/**
 * shown: null while there are no rows yet; total: null while it is counted; isCut: it counts the newest entries only;
 * isLive: the numbers grow by themselves, and are not spoken each time.
 */
type Props = { view: View; now: Date; shown: number | null; total: number | null; isCut: boolean; isLive: boolean };

/** A span in absolute times. */
export const spanText = ({ from, to }: Span, zone: string): string =>
  from || to
    ? `${from ? dateTime(from, zone) : "The beginning"} to ${to ? dateTime(to, zone) : "now"}`
    : "Everything, newest first";

function amount({ shown, total, isCut }: Props): string {
  if (shown === null) return "";
  if (isCut)
    return `${total === null ? "Some" : count(total)} of the newest: one or two letters are not looked for further back`;
  if (total === null) return `${counted(shown, "entry", "entries")} on this page`;
  return shown < total ? `${count(shown)} of ${count(total)} entries` : counted(total, "entry", "entries");
}

/** Which organizations a total is over, where several could be meant. */
function useWhere(): string {
  const { org, organizations } = useOrg();
  if (organizations.length < 2) return "";
  return org ? ` of ${org.name}` : ` in ${organizations.length} organizations`;
}

/** The span in absolute times, how much of it is shown, and the zone, said once. */
export function RangeLine(props: Props) {
  const { zone, local, setUtc } = useZone();
  const where = useWhere();
  const told = amount(props);
  return (
    <div className={classes.line}>
      <span>{spanText(spanOf(props.view, zone, props.now), zone)}</span>
      <span>
        Times in {zoneName(zone)}{" "}
        {(zone !== local || local !== "UTC") && (
          <button type="button" className={classes.textButton} onClick={() => setUtc(zone === local)}>
            {zone === local ? "Show UTC" : "Show local time"}
          </button>
        )}
      </span>
      <span role={props.isLive ? undefined : "status"}>{told && told + where}</span>
    </div>
  );
}
