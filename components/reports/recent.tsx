"use client";

import type { Entry } from "../audit/entry";
import { ResultBadge } from "../audit/result-badge";
import { EntryLink } from "../audit/table/entry-link";
import { type Column, RecordTable } from "../shell/record-table";
import { Section } from "../shell/section";
import { When } from "../shell/when";

const columns: Column<Entry>[] = [
  {
    header: "What happened",
    cell: (e) => <EntryLink entry={e} />,
  },
  { header: "Time", cell: (e) => <When at={e.timestamp} />, width: 200 },
  { header: "Result", cell: (e) => <ResultBadge result={e.result} />, width: 120 },
];

/** The newest entries that a report is about. */
export function Recent({ entries }: { entries: Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <Section title="Most recent" flush>
      <RecordTable caption="The most recent entries" columns={columns} rows={entries} rowKey={(e) => e.id} />
    </Section>
  );
}
