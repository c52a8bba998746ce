"use client";

import { ResultBadge } from "@/components/audit/result-badge";
import { EntryLink } from "@/components/audit/table/entry-link";
import { Level } from "@/components/devices/level";
import { LogMessage } from "@/components/devices/log-message";
import { When } from "@/components/format/when";
import type { Column } from "@/components/ui/record-table";
import type { Item } from "./merge-live";

const SOURCE_LABEL: Record<Item["source"], string> = {
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

/** The columns of a timeline. */
export const COLUMNS: Column<Item>[] = [
  { header: "Time", cell: (item) => <When at={item.at} />, width: 196 },
  { header: "Source", cell: (item) => SOURCE_LABEL[item.source], width: 130 },
  { header: "State", cell: (item) => <State of={item} />, width: 124 },
  { header: "What happened", cell: (item) => <Description of={item} /> },
];
