import { Anchor } from "@mantine/core";
import Link from "next/link";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { ResultBadge } from "@/components/audit/result-badge";
import { When } from "@/components/format/when";
import { type Column, RecordTable } from "@/components/ui/record-table";

/** An entry's sentence, with actor and names emphasized, as a link to the entry's page. */
export function EntryLink({ entry }: { entry: Entry }) {
  return (
    <Anchor component={Link} href={`/audit/${entry.id}`} prefetch={false} inherit c="var(--tm-ink)">
      <EntrySentence entry={entry} />
    </Anchor>
  );
}

type Props = { caption: string; entries: Entry[]; more?: Column<Entry>; isStale?: boolean };

/** Entries outside of the log's own table; `more` is a column beside the sentence. */
export const EntryRecords = ({ caption, entries, more, isStale = false }: Props) => (
  <RecordTable
    caption={caption}
    columns={[
      { header: "Entry", cell: (entry) => <EntryLink entry={entry} /> },
      ...(more ? [more] : []),
      { header: "Time", cell: (entry) => <When at={entry.timestamp} />, width: 196 },
      { header: "Result", cell: (entry) => <ResultBadge result={entry.result} />, width: 116 },
    ]}
    rows={entries}
    rowKey={({ id }) => id}
    isStale={isStale}
  />
);
