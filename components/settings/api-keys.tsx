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
import type { ApiKey } from "@/server/api-keys/schema";
import { isUsable, KeyState } from "./key-state";
import { NewApiKey } from "./new-api-key";

/** Keys for programs: what they may do, where, and until when. */
export function ApiKeys() {
  const trpc = useTRPC();
  const { orgId, nameOf } = useOrg();
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(1).withOptions({ history: "push" }));
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [creating, create] = useDisclosure(false);
  const list = useQuery(trpc.apiKeys.list.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const columns: Column<ApiKey>[] = [
    { header: "Name", cell: (k) => k.name },
    { header: "Key", cell: (k) => <code>{k.prefix}…</code>, width: 150 },
    { header: "Organization", cell: (k) => (k.orgId ? nameOf(k.orgId) : "All organizations"), width: 180 },
    { header: "May", cell: (k) => k.permissions.join(", "), width: 220, minor: true },
    { header: "Last used", cell: (k) => <When at={k.lastUsedAt} />, width: 176 },
    { header: "Expires", cell: (k) => <When at={k.expiresAt} dateOnly />, width: 112, minor: true },
    { header: "State", cell: KeyState, width: 100 },
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
            aria-label={`Revoke ${k.name}`}
          >
            Revoke
          </Button>
        ) : null,
    },
  ];
  return (
    <>
      <PageHeader title="API keys" lead="For programs. What a key does is in the audit log under its name.">
        <Button leftSection={<Plus size={15} aria-hidden />} onClick={create.open}>
          New API key
        </Button>
      </PageHeader>
      <PagedList
        query={list}
        what="the API keys"
        empty={<Notice title="No API keys yet">Make one for each program, so that each can be revoked alone.</Notice>}
        onPage={setPage}
      >
        {(rows, isStale) => (
          <RecordTable caption="API keys" columns={columns} rows={rows} rowKey={(k) => k.id} isStale={isStale} />
        )}
      </PagedList>
      {creating && <NewApiKey onClose={create.close} />}
      {revoking && <RevokeApiKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function RevokeApiKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const revoke = useMutation(
    trpc.apiKeys.revoke.mutationOptions({
      onSuccess: async () => {
        onClose();
        await cache.invalidateQueries(trpc.apiKeys.pathFilter());
      },
    }),
  );
  return (
    <Confirm
      opened
      title={`Revoke ${apiKey.name}`}
      action="Revoke key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ id: apiKey.id })}
      onClose={onClose}
    >
      Programs that use the key {apiKey.prefix}… are refused from now on. This cannot be taken back; what the key did
      stays in the audit log.
    </Confirm>
  );
}
