"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOrgName } from "@/components/account/org";
import { bytes, count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { RecordSection } from "@/components/ui/record-section";
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

function Outcome({ acknowledgedAt, code }: Batch) {
  if (acknowledgedAt) return <StateTag tone="good">Acknowledged</StateTag>;
  return <StateTag tone={code ? "warn" : "off"}>{code ? `Failed (${code})` : "Being sent"}</StateTag>;
}

function outcomeNote(batch: Batch): string {
  const { acknowledgedAt, error, attempts } = batch;
  if (acknowledgedAt) return receiptText(batch) + (attempts > 1 ? `, after ${counted(attempts, "attempt")}` : "");
  return [error, attempts > 0 && counted(attempts, "attempt")].filter(Boolean).join(" ");
}

const contentsOf = ({ rows, filtered, bytes: size, replayId }: Batch): string =>
  [`${count(rows)} sent`, filtered > 0 && `${count(filtered)} filtered out`, bytes(size), replayId && "replay"]
    .filter(Boolean)
    .join(", ");

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
  return (
    <RecordSection
      level="section"
      title="Batches"
      lead="Sequences of entries that were sent together, of the last 30 days."
      what="the batches"
      list={query}
      onPage={setPage}
      columns={[
        { header: "Entries", cell: rangeText, note: contentsOf },
        ...orgColumn<Batch>(stream, nameOf),
        { header: "Outcome", cell: Outcome, note: outcomeNote, width: 320 },
        { header: "Sent", cell: ({ createdAt }) => <When at={createdAt} />, width: 196 },
      ]}
      empty={{ title: "Nothing was sent yet" }}
    />
  );
}

/** Entries that the receiver will never get. */
export function Gaps({ stream }: { stream: Stream }) {
  const [page, setPage] = useState(1);
  const nameOf = useOrgName();
  const query = useQuery(
    useTRPC().streams.gaps.queryOptions({ id: stream.id, page }, { placeholderData: keepPreviousData }),
  );
  return (
    <RecordSection
      level="section"
      title="Gaps"
      lead="Entries that the receiver will never get."
      what="the gaps"
      list={query}
      onPage={setPage}
      columns={[
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
      ]}
      empty={{ title: "No gaps" }}
    />
  );
}
