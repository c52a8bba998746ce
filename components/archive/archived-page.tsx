"use client";

import { Text } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useCan, useOrg } from "@/components/account/org";
import { bytes, count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { usePage } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag } from "@/components/ui/state-tag";
import { useInvalidation } from "@/components/use-invalidation";
import type { ArchiveObject } from "@/server/notify/streams/archive/schema";
import { RestoreDialog } from "./restore-dialog";
import { RestoredRanges } from "./restored-ranges";

const span = ({ first, last }: { first: number; last: number }): string =>
  first === last ? count(first) : `${count(first)} to ${count(last)}`;

/** Archived entries of the caller's organizations, and the ranges that are restored from them. */
export function ArchivedPage() {
  const trpc = useTRPC();
  const { orgId, one, nameOf } = useOrg();
  const mayManage = useCan("streams:manage");
  const [page, setPage] = usePage();
  const list = useQuery(trpc.archive.objects.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const stale = useInvalidation(trpc.archive.pathFilter());
  const verify = useMutation(trpc.archive.verify.mutationOptions(stale));
  const restore = useMutation(trpc.archive.restore.mutationOptions(stale));
  const actionsOf = (row: ArchiveObject): RowAction[] => [
    {
      verb: "Verify",
      label: `Verify entries ${span(row)}`,
      disabledReason: verify.isPending ? "A verification is running." : undefined,
      run: () => verify.mutate({ id: row.id }),
    },
    {
      verb: "Restore",
      label: `Restore entries ${span(row)}`,
      disabledReason: row.state === "damaged" ? "The object is damaged." : undefined,
      run: () => restore.mutate({ orgId: row.orgId, fromSeq: row.first, toSeq: row.last }),
    },
  ];
  return (
    <>
      <RecordSection
        level="page"
        title="Archived"
        lead="Entries in archives, each object checked before retention removes its entries from the log."
        what="the archived objects"
        list={list}
        onPage={setPage}
        columns={[
          { header: "Entries", cell: (row) => <Entries row={row} organization={nameOf(row.orgId)} /> },
          { header: "From", cell: ({ from }) => <When at={from} />, width: 176 },
          { header: "To", cell: ({ to }) => <When at={to} />, width: 176, minor: true },
          { header: "Size", cell: (row) => bytes(row.bytes), width: 90, align: "figure", minor: true },
          {
            header: "Locked until",
            cell: ({ lock }) => <When at={lock?.until ?? null} none="No lock" dateOnly />,
            width: 130,
          },
          { header: "State", cell: (row) => <State row={row} />, width: 180 },
        ]}
        actions={mayManage ? { width: 170, of: actionsOf } : undefined}
        create={
          mayManage && one
            ? { label: "Restore range", dialog: (onClose) => <RestoreDialog orgId={one.id} onClose={onClose} /> }
            : undefined
        }
        empty={{
          title: "Nothing is archived",
          text: "Add an archive under Settings > Data streams. Each object that it has read back is listed here.",
        }}
        error={verify.error ?? restore.error}
      />
      <RestoredRanges orgId={orgId} />
    </>
  );
}

function Entries({ row, organization }: { row: ArchiveObject; organization: string }) {
  return (
    <>
      <Text inherit fw={500}>
        {span(row)}
      </Text>
      <small>
        {[
          organization,
          counted(row.rows, "entry", "entries"),
          row.inLog ? "still in the log" : "archive only",
          ...(row.continues ? [] : ["the object before it is missing"]),
        ].join(" · ")}
      </small>
    </>
  );
}

function State({ row: { state, fault, checkedAt } }: { row: ArchiveObject }) {
  return (
    <div>
      <StateTag tone={state === "intact" ? "good" : "bad"}>{state === "intact" ? "Intact" : "Damaged"}</StateTag>
      <small>
        {fault ?? (
          <>
            Checked <When at={checkedAt} dateOnly />
          </>
        )}
      </small>
    </div>
  );
}
