"use client";

import { useState } from "react";
import type { Line } from "@/components/audit/state/lines";
import { useViewer } from "@/components/audit/state/viewer-context";
import { EntryRow, EntryRows } from "./entry-row";
import { FoldRow } from "./fold-row";
import { RoutineRows } from "./routine-rows";

const entryOf = (line: Line | undefined) => (line?.kind === "entry" ? line.entry : undefined);

/** The lines of a day; an unfolded one shows its entries below it. */
export function Lines({ lines }: { lines: Line[] }) {
  const { view } = useViewer();
  const [open, setOpen] = useState<readonly string[]>([]);
  const toggle = (key: string) => setOpen(open.includes(key) ? open.filter((one) => one !== key) : [...open, key]);
  return lines.map((line, at) => {
    if (line.kind === "entry")
      return (
        <EntryRow
          key={line.key}
          entry={line.entry}
          above={entryOf(lines[at - 1])}
          isOpen={line.entry.id === view.row}
        />
      );
    const isOpen = open.includes(line.key);
    return [
      <FoldRow key={line.key} line={line} isOpen={isOpen} onToggle={() => toggle(line.key)} />,
      isOpen && line.kind === "routine" && <RoutineRows key={`${line.key} rows`} fold={line.fold} />,
      isOpen && line.kind === "repeat" && <EntryRows key={`${line.key} rows`} entries={line.entries} />,
    ];
  });
}
