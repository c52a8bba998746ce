"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOrgName } from "@/components/account/org";
import { bytes, count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import { RecordList } from "@/components/ui/paged-list";
import type { Column } from "@/components/ui/record-table";
import { StateTag } from "@/components/ui/state-tag";
import type { Stream } from "@/server/notify/streams/schema";

type Batch = Outputs["streams"]["batches"]["data"][number];
type Gap = Outputs["streams"]["gaps"]["data"][number];

const POLL_MS = 5_000;
const rangeText = ({ first, last }: { first: number; last: number }) =>
  last <= first ? count(first) : `${count(first)} to ${count(last)}`;

/** "status 200, etag …" */
const receiptText = ({ receipt }: Batch): string =>
  Object.entries(receipt ?? {})
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(", ");

function Outcome(batch: Batch) {
  const { acknowledgedAt, code, error, attempts } = batch;
  const times = attempts > 1 ? `, after ${counted(attempts, "attempt")}` : "";
  if (acknowledgedAt)
    return (
      <>
        <StateTag tone="good">Acknowledged</StateTag>
        <small>{receiptText(batch) + times}</small>
      </>
    );
  return (
    <>
      <StateTag tone={code ? "warn" : "off"}>{code ? `Failed (${code})` : "Being sent"}</StateTag>
      <small>{[error, attempts > 0 && counted(attempts, "attempt")].filter(Boolean).join(" ")}</small>
    </>
  );
}

/** Streams of one organization omit this column. */
const orgColumn = <T extends { orgId: string }>({ orgId }: Stream, nameOf: (id: string) => string): Column<T>[] =>
  orgId ? [] : [{ header: "Organization", cell: (row) => nameOf(row.orgId), width: 160 }];

/** Sent batches, newest first, with the receiver's answers. */
export function Batches({ stream }: { stream: Stream }) {
  const [page, setPage] = useState(1);
  const nameOf = useOrgName();
  const query = useQuery(
    useTRPC().streams.batches.queryOptions(
      { id: stream.id, page },
      { placeholderData: keepPreviousData, refetchInterval: POLL_MS },
    ),
  );
  const columns: Column<Batch>[] = [
    {
      header: "Entries",
      cell: (batch) => (
        <>
          {rangeText(batch)}
          <small>
            {[
              `${count(batch.rows)} sent`,
              batch.filtered > 0 && `${count(batch.filtered)} filtered out`,
              bytes(batch.bytes),
              batch.replayId && "replay",
            ]
              .filter(Boolean)
              .join(", ")}
          </small>
        </>
      ),
    },
    ...orgColumn<Batch>(stream, nameOf),
    { header: "Outcome", cell: Outcome, width: 320 },
    { header: "Sent", cell: ({ createdAt }) => <When at={createdAt} />, width: 196 },
  ];
  return (
    <Section title="Batches" lead="Sequences of entries that were sent together, of the last 30 days." flush>
      <RecordList
        query={query}
        what="the batches"
        onPage={setPage}
        empty={<Notice title="Nothing was sent yet" />}
        caption="Batches"
        columns={columns}
      />
    </Section>
  );
}

/** Entries that the receiver will never get. */
export function Gaps({ stream }: { stream: Stream }) {
  const [page, setPage] = useState(1);
  const nameOf = useOrgName();
  const query = useQuery(
    useTRPC().streams.gaps.queryOptions({ id: stream.id, page }, { placeholderData: keepPreviousData }),
  );
  const columns: Column<Gap>[] = [
    { header: "Entries", cell: rangeText, width: 200 },
    ...orgColumn<Gap>(stream, nameOf),
    {
      header: "Reason",
      cell: ({ reason, message }) =>
        reason === "retention"
          ? "Removed by retention before it was sent"
          : `Refused by the receiver. ${message ?? ""}`,
    },
    { header: "Found", cell: ({ createdAt }) => <When at={createdAt} />, width: 196 },
  ];
  return (
    <Section title="Gaps" lead="Entries that the receiver will never get." flush>
      <RecordList
        query={query}
        what="the gaps"
        onPage={setPage}
        empty={<Notice title="No gaps" />}
        caption="Gaps"
        columns={columns}
      />
    </Section>
  );
}
