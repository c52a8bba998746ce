"use client";

import { Button, Group, Text } from "@mantine/core";
import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useRequestedAction } from "@/components/requested-action";
import { Confirm } from "./dialogs/confirm";
import { errorText, Message, Notice } from "./notice";
import { PageHeader, Section } from "./page-header";
import { type Paged, RecordList } from "./paged-list";
import { type Column, RowButton } from "./record-table";

type OpenDialog = (onClose: () => void) => ReactNode;

/** The dialog before a mutation that takes the row's id. */
type Confirmation = {
  title: string;
  text: ReactNode;
  action: string;
  by: Pick<UseMutationResult<unknown, unknown, { id: string }>, "mutate" | "isPending" | "error" | "reset">;
};

/** A button at the end of a row. `label` is its accessible name, and the verbs of a row differ. */
export type RowAction = { verb: string; label: string; disabledReason?: string | undefined } & (
  | { run: () => void }
  | { dialog: OpenDialog }
  | { confirm: Confirmation }
);

type Row = { id: string };
type Props<T extends Row> = {
  title: string;
  lead: string;
  /** page: the title is the page's heading, and creating its primary action. */
  level: "page" | "section";
  /** The noun for messages: "the users". */
  what: string;
  /** The table's caption; the title by default. */
  caption?: string;
  list: UseQueryResult<Paged<T>, unknown>;
  /** Omitted for a list without paging. */
  onPage?: (page: number) => void;
  columns: Column<T>[];
  actions?: { width: number; of: (row: T) => RowAction[]; otherwise?: (row: T) => ReactNode } | undefined;
  /** Button that opens the dialog for a new record; the palette can request it by its label. */
  create?: { label: string; dialog: OpenDialog } | undefined;
  buttons?: ReactNode;
  empty: { title: string; text?: string };
  /** The error of an action without a dialog. */
  error?: unknown;
  /** Shown between the heading and the records: filters, messages. */
  children?: ReactNode;
};

/** Records that can be created, changed and removed: heading, table and the dialogs of both. */
export function RecordSection<T extends Row>(props: Props<T>) {
  const { title, lead, level, list, columns, actions, create, empty, error } = props;
  const [isCreating, setIsCreating] = useState(false);
  const [open, setOpen] = useState<{ row: T; verb: string } | null>(null);
  useRequestedAction(create?.label ?? "", create ? () => setIsCreating(true) : null);
  const createButton = create && (
    <Button
      {...(level === "page" && { leftSection: <Plus size={15} aria-hidden /> })}
      onClick={() => setIsCreating(true)}
    >
      {create.label}
    </Button>
  );
  const cell = (row: T) => {
    const own = actions?.of(row) ?? [];
    if (own.length === 0) return actions?.otherwise?.(row);
    return own.map((action) => (
      <RowButton
        key={action.verb}
        label={action.label}
        disabledReason={action.disabledReason}
        onClick={"run" in action ? action.run : () => setOpen({ row, verb: action.verb })}
      >
        {action.verb}
      </RowButton>
    ));
  };
  const allColumns: Column<T>[] = actions
    ? [...columns, { header: "Actions", width: actions.width, align: "end", cell }]
    : columns;
  const opened = open && actions?.of(open.row).find(({ verb }) => verb === open.verb);
  const body = (
    <>
      {error ? <Message tone="bad">{errorText(error)}</Message> : null}
      {props.children}
      <RecordList
        query={list}
        what={props.what}
        empty={
          level === "page" ? (
            <Notice title={empty.title}>{empty.text}</Notice>
          ) : (
            <Text c="dimmed" px="edge" pb="md">
              {[empty.title, empty.text].filter(Boolean).join(". ")}
            </Text>
          )
        }
        onPage={props.onPage}
        caption={props.caption ?? title}
        columns={allColumns}
      />
      {isCreating && create?.dialog(() => setIsCreating(false))}
      {open && opened && "dialog" in opened && opened.dialog(() => setOpen(null))}
      {open && opened && "confirm" in opened && (
        <ConfirmedAction {...opened.confirm} id={open.row.id} onClose={() => setOpen(null)} />
      )}
    </>
  );
  if (level === "section")
    return (
      <Section title={title} lead={lead} action={createButton} flush>
        {body}
      </Section>
    );
  return (
    <>
      <PageHeader title={title} lead={lead}>
        {props.buttons ? (
          <Group gap="sm">
            {props.buttons}
            {createButton}
          </Group>
        ) : (
          createButton
        )}
      </PageHeader>
      {body}
    </>
  );
}

function ConfirmedAction({ id, title, text, action, by, onClose }: Confirmation & { id: string; onClose: () => void }) {
  const close = () => {
    onClose();
    by.reset();
  };
  return (
    <Confirm
      title={title}
      action={action}
      isBusy={by.isPending}
      error={by.error}
      onConfirm={() => by.mutate({ id }, { onSuccess: close })}
      onClose={close}
    >
      {text}
    </Confirm>
  );
}
