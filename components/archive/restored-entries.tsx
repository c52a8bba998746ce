"use client";

import { Modal, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { ResultBadge } from "@/components/audit/result-badge";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { RecordList } from "@/components/ui/paged-list";
import type { Column } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import { StateTag } from "@/components/ui/state-tag";

const COLUMNS: Column<Entry>[] = [
  { header: "Entry", cell: (entry) => <Told entry={entry} /> },
  { header: "Sequence", cell: ({ chainSeq }) => count(chainSeq), width: 90, align: "figure" },
  { header: "Time", cell: ({ timestamp }) => <When at={timestamp} />, width: 176 },
  { header: "Result", cell: ({ result }) => <ResultBadge result={result} />, width: 100 },
];

/** The entries of a restored range, newest first, each with its details. */
export function RestoredEntries({ id, onClose }: { id: string; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const [search, setSearch] = useState("");
  const input = { id, page, q: search || undefined };
  const list = useQuery(useTRPC().archive.entries.queryOptions(input, { placeholderData: keepPreviousData }));
  const find = (text: string) => {
    setSearch(text);
    setPage(1);
  };
  return (
    <Modal opened onClose={onClose} title="Restored entries" size="xl">
      <Stack>
        <Text size="sm" component="div">
          <StateTag tone="warn">Restored</StateTag> Copies from the archive, until{" "}
          <When at={list.data?.restoration.expiresAt ?? null} none="tomorrow" />.
        </Text>
        <SearchField label="Search restored entries" value={search} onSearch={find} />
        <RecordList
          query={list}
          what="the restored entries"
          caption="Restored entries"
          columns={COLUMNS}
          empty={<Notice title="No entries" />}
          onPage={setPage}
        />
      </Stack>
    </Modal>
  );
}

function Told({ entry }: { entry: Entry }) {
  return (
    <details style={{ overflowWrap: "anywhere" }}>
      <summary>
        <EntrySentence entry={entry} />
      </summary>
      <pre style={{ whiteSpace: "pre-wrap" }}>{JSON.stringify(entry, null, 2)}</pre>
    </details>
  );
}
