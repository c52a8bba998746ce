"use client";

import { Group, Text } from "@mantine/core";
import { useOrg } from "@/components/account/org";
import { endsOf } from "@/components/audit/entry";
import { spanText } from "@/components/audit/state/range";
import { spanOf } from "@/components/audit/state/view";
import { type AuditList, useViewer } from "@/components/audit/state/viewer-context";
import { count, counted } from "@/components/format/amounts";
import { zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { amountText } from "./amount";

const foldedIn = (folds: AuditList["folds"]): number => folds.reduce((sum, fold) => sum + fold.count, 0);

/** How much of the total is shown; empty until the first rows have loaded. */
function amount(audit: AuditList, isFirst: boolean): string {
  const { list, entries, folds, isFoldPending, foldFailure, bar, total, isTruncated } = audit;
  if (!list.isSuccess) return "";
  // These rows still belong to the previous filter, so a count would mislead.
  if (list.isPlaceholderData) return "Loading …";
  if (isTruncated)
    return `${total === null ? "Some matches" : counted(total, "match", "matches")} among the newest entries`;
  const hasOlder = list.data.pagination.nextCursor !== null;
  // A live list may be holding back entries.
  const isWhole = isFirst && !hasOlder && !bar && !isFoldPending && !foldFailure;
  return amountText({ shown: entries.length + foldedIn(folds), total, isWhole, hasOlder });
}

/** Names the organizations that a total covers, if the user can see several. */
function useScopeText(): string {
  const { org, organizations, several } = useOrg();
  if (organizations.length < 2) return "";
  return org ? ` of ${org.name}` : ` in ${several.length || organizations.length} organizations`;
}

/** How much of the span is shown, and the span in absolute times with its time zone. */
export function RangeLine() {
  const { view, now, audit } = useViewer();
  const { zone, local, setUtc } = useZone();
  const span = spanOf(view, zone, now);
  const where = useScopeText();
  const text = amount(audit, view.cursor === null);
  const folded = foldedIn(audit.folds);
  const telemetry = folded > 0 ? ` · ${count(folded)} folded` : "";
  const cut = audit.isTruncated ? "; searches of one or two letters count no further" : "";
  return (
    <>
      {/* The counts of a live list change constantly and are not announced. */}
      <Text span inherit fw={600} c="var(--tm-ink)" role={audit.bar ? undefined : "status"}>
        {text && text + where + cut + telemetry}
        {audit.foldFailure && (
          <>
            ; routine telemetry could not be counted{" "}
            <button type="button" className="tm-press" onClick={audit.foldFailure.retry}>
              Retry
            </button>
          </>
        )}
      </Text>
      <Group component="span" gap="0 12px">
        <span>{spanText(span, zone)}</span>
        <span>
          Times in {zoneName(zone, span.from, span.to, ...endsOf(audit.entries))}{" "}
          {(zone !== local || local !== "UTC") && (
            <button type="button" className="tm-press" onClick={() => setUtc(zone === local)}>
              {zone === local ? "Show UTC" : "Show local time"}
            </button>
          )}
        </span>
      </Group>
    </>
  );
}
