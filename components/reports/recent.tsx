"use client";

import type { Entry } from "@/components/audit/entry";
import { ResultBadge } from "@/components/audit/result-badge";
import { EntryLink } from "@/components/audit/table/entry-link";
import { When } from "@/components/format/when";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { Section } from "@/components/ui/section";

const columns: Column<Entry>[] = [
  {
    header: "Entry",
    cell: (e) => <EntryLink entry={e} />,
  },
  { header: "Time", cell: (e) => <When at={e.timestamp} />, width: 200 },
  { header: "Result", cell: (e) => <ResultBadge result={e.result} />, width: 120 },
];

/** The newest entries of a report. */
export function Recent({ entries }: { entries: Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <Section title="Most recent" flush>
      <RecordTable caption="The most recent entries" columns={columns} rows={entries} rowKey={(e) => e.id} />
    </Section>
  );
}
