"use client";

import { Chip, Group } from "@mantine/core";
import { ResultBadge } from "@/components/audit/result-badge";
import { EntryLink } from "@/components/audit/table/entry-link";
import { Level, LogMessage } from "@/components/devices/cells";
import { When } from "@/components/format/when";
import type { Column } from "@/components/ui/record-table";
import { SOURCE_LABEL, TIMELINE_SOURCES, type TimelineSource } from "@/server/devices/timeline/vocabulary";
import type { Item } from "./merge-live";

type Props = { sources: readonly TimelineSource[]; onChange: (sources: TimelineSource[]) => void };

/** Toggles for the source logs of a timeline; at least one stays selected. */
export const SourceChips = ({ sources, onChange }: Props) => (
  <Chip.Group
    multiple
    value={[...sources]}
    onChange={(values) => values.length > 0 && onChange(TIMELINE_SOURCES.filter((source) => values.includes(source)))}
  >
    <Group gap={6} role="group" aria-label="Logs">
      {TIMELINE_SOURCES.map((source) => (
        <Chip key={source} value={source}>
          {SOURCE_LABEL[source]}
        </Chip>
      ))}
    </Group>
  </Chip.Group>
);

const ITEM_SOURCE: Record<Item["source"], string> = {
  audit: "Audit entry",
  diagnostic: "Diagnostic log",
  event: "Event log",
  live: "Live event log",
};

function State({ of: item }: { of: Item }) {
  if (item.source === "audit") return <ResultBadge result={item.entry.result} />;
  return <Level level={item.source === "diagnostic" ? item.log.level : item.event.level} />;
}

function Description({ of: item }: { of: Item }) {
  switch (item.source) {
    case "audit":
      return <EntryLink entry={item.entry} />;
    case "diagnostic":
      return <LogMessage message={`${item.log.component}: ${item.log.message}`} fields={item.log.fields} />;
    case "event":
      return <LogMessage message={`${item.event.source}: ${item.event.message}`} fields={item.event.details} />;
    case "live":
      return (
        <LogMessage
          message={`${item.event.source}: ${item.event.message}`}
          fields={{ log: item.log, eventId: item.event.eventId }}
        />
      );
  }
}

export const COLUMNS: Column<Item>[] = [
  { header: "Time", cell: (item) => <When at={item.at} />, width: 196 },
  { header: "Source", cell: (item) => ITEM_SOURCE[item.source], width: 130 },
  { header: "State", cell: (item) => <State of={item} />, width: 124 },
  { header: "What happened", cell: (item) => <Description of={item} /> },
];
