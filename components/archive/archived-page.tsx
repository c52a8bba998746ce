"use client";

import { Text } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { bytes, count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { RangeFields } from "@/components/integrity/range-fields";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { usePage } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag } from "@/components/ui/state-tag";
import { useInvalidation } from "@/components/use-invalidation";
import type { ArchiveObject } from "@/server/notify/streams/archive/schema";
import { restoreInput } from "@/server/notify/streams/archive/schema";
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

type RestoreProps = { orgId: string; onClose: () => void };

/** Asks for a range of time, and restores the objects that hold its entries. */
function RestoreDialog({ orgId, onClose }: RestoreProps) {
  const trpc = useTRPC();
  const restore = useMutation(trpc.archive.restore.mutationOptions(useDone(onClose, trpc.archive.pathFilter())));
  const [range, setRange] = useState<{ from: Date | null; to: Date | null }>({ from: null, to: null });
  const form = useForm({});
  const send = () =>
    form.send(restoreInput, restore, { orgId, from: range.from?.toISOString(), to: range.to?.toISOString() });
  return (
    <FormDialog form={form} title="Restore range" action="Restore" onSubmit={send} onClose={onClose}>
      <Text size="sm">
        Every object with entries of this time is read back and checked. Its entries stand beside the log for 24 hours.
      </Text>
      <RangeFields range={range} onRange={setRange} error={null} />
    </FormDialog>
  );
}
