"use client";

import { Chip, Group } from "@mantine/core";
import { actorOf } from "@/components/audit/entry";
import { SourceChips } from "@/components/devices/timeline/source-chips";
import { AROUND_MINUTES, TIE_LABEL, TIES, type Tie, type TimelineSource } from "@/server/timeline/vocabulary";
import classes from "./around.module.css";
import type { AroundPage } from "./around-rows";

type View = { minutes: number; ties: Tie[]; sources: TimelineSource[] };
type Props = { view: View; page: AroundPage; onChange: (change: Partial<View>) => void };

/** What the entry has of a tie, in words. */
function commonValue(tie: Tie, { entry, device }: AroundPage): string {
  if (tie === "actor") {
    // Actors of one name (System, agents without a device) are distinguished by the names they report.
    const { rawActorId: id } = entry.details;
    return typeof id === "string" && id !== actorOf(entry) ? `: ${actorOf(entry)} (${id})` : `: ${actorOf(entry)}`;
  }
  if (tie === "address") return `: ${entry.ipAddress}`;
  if (tie === "device") return `: ${device?.hostname ?? ""}`;
  return "";
}

/** Chips that narrow what is shown: how far around, what it has in common with the entry, from which logs. */
export function AroundTools({ view, page, onChange }: Props) {
  const hasLogs = page.device?.isKnown && view.ties.includes("device");
  return (
    <div className={classes.tools}>
      <Chip.Group value={String(view.minutes)} onChange={(value) => onChange({ minutes: Number(value) })}>
        <Group gap={6} role="radiogroup" aria-label="Minutes before and after">
          {AROUND_MINUTES.map((minutes) => (
            <Chip key={minutes} value={String(minutes)} size="sm">
              ± {minutes} min
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Chip.Group
        multiple
        value={view.ties}
        onChange={(values) => values.length > 0 && onChange({ ties: TIES.filter((tie) => values.includes(tie)) })}
      >
        <Group gap={6} role="group" aria-label="In common with the entry">
          {TIES.filter((tie) => page.ties.includes(tie)).map((tie) => (
            <Chip key={tie} value={tie} size="sm">
              {TIE_LABEL[tie]}
              {commonValue(tie, page)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {hasLogs && <SourceChips sources={view.sources} onChange={(sources) => onChange({ sources })} />}
    </div>
  );
}
