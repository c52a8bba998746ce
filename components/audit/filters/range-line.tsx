"use client";

import { useMediaQuery } from "@mantine/hooks";
import { useOrg } from "@/components/account/org";
import { endsOf } from "@/components/audit/entry";
import { spanText } from "@/components/audit/state/range";
import { spanOf } from "@/components/audit/state/view";
import { type AuditList, useViewer } from "@/components/audit/state/viewer-context";
import classes from "@/components/audit/viewer.module.css";
import { count, counted } from "@/components/format/amounts";
import { zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { amountText } from "./amount";

const foldedIn = (folds: AuditList["folds"]): number => folds.reduce((sum, fold) => sum + fold.count, 0);

/** How much of the total is shown; empty until the first rows have loaded. */
function amount(audit: AuditList, isFirst: boolean): string {
  const { list, entries, folds, isFoldPending, foldFailure, bar, total, isTruncated } = audit;
  if (!list.isSuccess) return "";
  if (isTruncated)
    return `${total === null ? "Some matches" : counted(total, "match", "matches")} among the newest entries`;
  // These are still the rows of the previous filter, so they cannot be compared with the new total.
  if (list.isPlaceholderData && total !== null) return counted(total, "entry", "entries");
  const hasOlder = list.data.pagination.nextCursor !== null;
  // A live list may be holding back entries.
  const isWhole = isFirst && !hasOlder && !bar && !isFoldPending && !foldFailure && !list.isPlaceholderData;
  return amountText({ shown: entries.length + foldedIn(folds), total, isWhole, hasOlder });
}

/** Names the organizations that a total covers, if the user can see several. */
function useScopeText(): string {
  const { org, organizations, several } = useOrg();
  if (organizations.length < 2) return "";
  return org ? ` of ${org.name}` : `; ${several.length || organizations.length} organizations searched`;
}

/** The span in absolute times, how much of it is shown, and the time zone. */
export function RangeLine() {
  const { view, now, audit } = useViewer();
  const { zone, local, setUtc } = useZone();
  const span = spanOf(view, zone, now);
  const where = useScopeText();
  const isPhone = useMediaQuery("(max-width: 48em)");
  const text = amount(audit, view.cursor === null);
  const folded = foldedIn(audit.folds);
  const telemetry = folded > 0 ? `; ${count(folded)} on this page are routine telemetry` : "";
  const cut = audit.isTruncated ? "; searches of one or two letters count no further" : "";
  return (
    // On a phone the line scrolls sideways, so it must be focusable.
    <div className={classes.line} {...(isPhone && { tabIndex: 0, role: "group", "aria-label": "What is listed" })}>
      <span>{spanText(span, zone)}</span>
      <span>
        Times in {zoneName(zone, span.from, span.to, ...endsOf(audit.entries))}{" "}
        {(zone !== local || local !== "UTC") && (
          <button type="button" className={classes.textButton} onClick={() => setUtc(zone === local)}>
            {zone === local ? "Show UTC" : "Show local time"}
          </button>
        )}
      </span>
      {/* The counts of a live list change constantly and are not announced. */}
      <span role={audit.bar ? undefined : "status"}>
        {text && text + where + cut + telemetry}
        {audit.foldFailure && (
          <>
            ; routine telemetry could not be counted{" "}
            <button type="button" className={classes.textButton} onClick={audit.foldFailure.retry}>
              Retry
            </button>
          </>
        )}
      </span>
    </div>
  );
}
