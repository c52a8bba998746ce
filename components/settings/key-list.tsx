"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type ComponentType, type ReactNode, useState } from "react";
import { useRequestedAction } from "@/components/requested-action";
import type { ApiError } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { type Paged, PagedList } from "@/components/ui/paged-list";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { RowButton } from "@/components/ui/row-button";
import { isUsable, type Key, KeyState } from "./key-state";

type Props<K extends Key> = {
  /** The noun in singular and plural: "API key", "API keys". */
  singular: string;
  plural: string;
  title: string;
  lead: string;
  whenEmpty: string;
  list: UseQueryResult<Paged<K>, ApiError | Error>;
  columns: Column<K>[];
  nameOf: (key: K) => string;
  /** What revoking the key means for those who use it. */
  consequence: (key: K) => string;
  revoke: Pick<UseMutationResult<unknown, unknown, { id: string }>, "mutate" | "isPending" | "error" | "reset">;
  onPage: (page: number) => void;
  /** Why a visible key cannot be revoked. */
  disabledReason?: (key: K) => string | undefined;
  /** Further actions on a usable key, shown before Revoke. */
  actions?: (key: K) => ReactNode;
  NewKey: ComponentType<{ onClose: () => void }>;
};

/** A list of keys with their access, expiry and state, and dialogs to create and revoke them. */
export function KeyList<K extends Key>(props: Props<K>) {
  const { singular, plural, title, lead, list, nameOf, revoke, NewKey } = props;
  const [revoking, setRevoking] = useState<K | null>(null);
  const [creating, create] = useDisclosure(false);
  useRequestedAction(`New ${singular}`, create.open);
  const close = () => {
    setRevoking(null);
    revoke.reset();
  };
  const columns: Column<K>[] = [
    ...props.columns,
    { header: "State", cell: KeyState, width: 110 },
    {
      header: "Actions",
      width: props.actions ? 216 : 104,
      align: "end",
      cell: (key) =>
        isUsable(key) && (
          <>
            {props.actions?.(key)}
            <RowButton
              label={`Revoke ${nameOf(key)}`}
              onClick={() => setRevoking(key)}
              disabledReason={props.disabledReason?.(key)}
            >
              Revoke
            </RowButton>
          </>
        ),
    },
  ];
  return (
    <>
      <PageHeader title={title} lead={lead}>
        <Button leftSection={<Plus size={15} aria-hidden />} onClick={create.open}>
          New {singular}
        </Button>
      </PageHeader>
      <PagedList
        query={list}
        what={`the ${plural}`}
        empty={<Notice title={`No ${plural} yet`}>{props.whenEmpty}</Notice>}
        onPage={props.onPage}
      >
        {(rows, isStale) => (
          <RecordTable caption={title} columns={columns} rows={rows} rowKey={(key) => key.id} isStale={isStale} />
        )}
      </PagedList>
      {creating && <NewKey onClose={create.close} />}
      {revoking && (
        <Confirm
          title={`Revoke ${nameOf(revoking)}`}
          action="Revoke key"
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate({ id: revoking.id }, { onSuccess: close })}
          onClose={close}
        >
          {props.consequence(revoking)}
        </Confirm>
      )}
    </>
  );
}
