"use client";

import { Chip, Group } from "@mantine/core";
import { actorOf } from "@/components/audit/entry";
import { SourceChips } from "@/components/devices/timeline/source-chips";
import { AROUND_MINUTES, TIE_LABEL, TIES, type Tie, type TimelineSource } from "@/server/devices/timeline/vocabulary";
import classes from "./around.module.css";
import type { AroundPage } from "./around-rows";

type View = { minutes: number; ties: Tie[]; sources: TimelineSource[] };
type Props = { view: View; page: AroundPage; onChange: (change: Partial<View>) => void };

/** The entry's value for a tie, as text. */
function commonValue(tie: Tie, { entry, device }: AroundPage): string {
  if (tie === "actor") {
    // Actors that share a name (System, agents without a device) are told apart by the id they report.
    const { rawActorId: id } = entry.details;
    return typeof id === "string" && id !== actorOf(entry) ? `: ${actorOf(entry)} (${id})` : `: ${actorOf(entry)}`;
  }
  if (tie === "address") return `: ${entry.ipAddress}`;
  if (tie === "device") return `: ${device?.hostname ?? ""}`;
  return "";
}

/** Chips that set the time span, the shared attributes and the source logs. */
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
