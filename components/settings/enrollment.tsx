"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { When } from "@/components/format/when";
import { useOrg } from "@/components/frame/org";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PagedList } from "@/components/ui/paged-list";
import { type Column, RecordTable } from "@/components/ui/record-table";
import type { EnrollmentKey } from "@/server/enrollment-keys/schema";
import { isUsable, KeyState } from "./key-state";
import { NewEnrollmentKey } from "./new-enrollment-key";

/** Keys with which agents join an organization. */
export function Enrollment() {
  const trpc = useTRPC();
  const { orgId, nameOf } = useOrg();
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(1).withOptions({ history: "push" }));
  const [revoking, setRevoking] = useState<EnrollmentKey | null>(null);
  const [creating, create] = useDisclosure(false);
  const list = useQuery(trpc.enrollmentKeys.list.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const columns: Column<EnrollmentKey>[] = [
    { header: "Organization", cell: (k) => nameOf(k.orgId) },
    { header: "Key", cell: (k) => <code>{k.prefix}…</code>, width: 160 },
    { header: "Used", cell: (k) => (k.maxUses === null ? `${k.uses} times` : `${k.uses} of ${k.maxUses}`), width: 120 },
    { header: "Made", cell: (k) => <When at={k.createdAt} />, width: 180, minor: true },
    { header: "Expires", cell: (k) => <When at={k.expiresAt} />, width: 180 },
    { header: "State", cell: KeyState, width: 110 },
    {
      header: "Change",
      width: 104,
      align: "end",
      cell: (k) =>
        isUsable(k) ? (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={() => setRevoking(k)}
            aria-label={`Revoke ${k.prefix}`}
          >
            Revoke
          </Button>
        ) : null,
    },
  ];
  return (
    <>
      <PageHeader
        title="Enrollment"
        lead="A key brings a device's agent into one organization. Agents that joined keep working when the key is gone."
      >
        <Button leftSection={<Plus size={15} aria-hidden />} onClick={create.open}>
          New enrollment key
        </Button>
      </PageHeader>
      <PagedList
        query={list}
        what="the enrollment keys"
        empty={
          <Notice title="No enrollment keys yet">Make one to get the command that brings the first device in.</Notice>
        }
        onPage={setPage}
      >
        {(rows, isStale) => (
          <RecordTable caption="Enrollment keys" columns={columns} rows={rows} rowKey={(k) => k.id} isStale={isStale} />
        )}
      </PagedList>
      {creating && <NewEnrollmentKey onClose={create.close} />}
      {revoking && <RevokeEnrollmentKey enrollmentKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function RevokeEnrollmentKey({ enrollmentKey, onClose }: { enrollmentKey: EnrollmentKey; onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const revoke = useMutation(
    trpc.enrollmentKeys.revoke.mutationOptions({
      onSuccess: async () => {
        onClose();
        await cache.invalidateQueries(trpc.enrollmentKeys.pathFilter());
      },
    }),
  );
  return (
    <Confirm
      opened
      title="Revoke enrollment key"
      action="Revoke key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ id: enrollmentKey.id })}
      onClose={onClose}
    >
      No further device can join with {enrollmentKey.prefix}…. Devices that joined with it stay.
    </Confirm>
  );
}
