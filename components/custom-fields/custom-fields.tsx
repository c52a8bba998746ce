"use client";

import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Building2, Layers, Plus } from "lucide-react";
import { useState } from "react";
import { useCan, useMe, useOrg } from "@/components/account/org";
import { useTRPC } from "@/components/trpc";
import { Failure, Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { RowButton } from "@/components/ui/row-button";
import { StateTag } from "@/components/ui/state-tag";
import { type Definition, FIELD_TYPE_LABELS } from "@/server/custom-fields/schema";
import classes from "./custom-fields.module.css";
import { DeleteField } from "./delete-field";
import { FieldDialog } from "./field-dialog";
import { ImportButton } from "./import-button";

/** The name of a field's owner. */
const ownerOf = (field: Definition, nameOf: (id: string) => string): string =>
  field.orgId ? nameOf(field.orgId) : "All organizations";

function typeOf(field: Definition): string {
  const choices = field.options ? ` (${field.options.length} choices)` : "";
  return `${FIELD_TYPE_LABELS[field.type]}${choices}`;
}

/** The custom field definitions, which add fields to every device. */
export function CustomFields() {
  const { orgId, nameOf } = useOrg();
  const { allOrganizations } = useMe();
  const mayManage = useCan("custom_fields:manage");
  const [editing, setEditing] = useState<Definition | null>(null);
  const [deleting, setDeleting] = useState<Definition | null>(null);
  const [creating, create] = useDisclosure(false);
  const list = useQuery(useTRPC().customFields.list.queryOptions({ orgId }, { placeholderData: keepPreviousData }));
  const mayChange = (field: Definition) => mayManage && (allOrganizations || field.orgId !== null);
  const rows = list.data?.data ?? [];
  const actions: Column<Definition> = {
    header: "Actions",
    width: 160,
    align: "end",
    cell: (f) =>
      mayChange(f) ? (
        <Group gap={4} wrap="nowrap" justify="flex-end" display="inline-flex">
          <RowButton label={`Edit ${f.name}`} onClick={() => setEditing(f)}>
            Edit
          </RowButton>
          <RowButton label={`Delete ${f.name}`} onClick={() => setDeleting(f)}>
            Delete
          </RowButton>
        </Group>
      ) : null,
  };
  const columns: Column<Definition>[] = [
    { header: "Name", cell: (f) => f.name },
    { header: "Key", cell: (f) => <code>{f.fieldKey}</code>, width: 200 },
    { header: "Type", cell: typeOf, width: 170 },
    { header: "Owner", cell: (f) => <Owner field={f} name={ownerOf(f, nameOf)} />, width: 200 },
    { header: "Rules", cell: (f) => <Rules field={f} />, width: 150, minor: true },
    ...(rows.some(mayChange) ? [actions] : []),
  ];
  return (
    <>
      <Header mayManage={mayManage} onCreate={create.open} />
      {list.isError && <Failure error={list.error} onRetry={() => void list.refetch()} what="the custom fields" />}
      {list.data && rows.length === 0 && (
        <Notice title="No custom fields yet">
          Create one here, or import definitions and values from another product.
        </Notice>
      )}
      {rows.length > 0 && (
        <RecordTable
          caption="Custom fields"
          columns={columns}
          rows={rows}
          rowKey={(f) => f.id}
          isStale={list.isPlaceholderData}
        />
      )}
      {creating && <FieldDialog onClose={create.close} />}
      {editing && <FieldDialog field={editing} onClose={() => setEditing(null)} />}
      {deleting && <DeleteField field={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function Header({ mayManage, onCreate }: { mayManage: boolean; onCreate: () => void }) {
  const { org } = useOrg();
  return (
    <PageHeader
      title="Custom fields"
      lead={
        org
          ? `Fields on every device of ${org.name}: its own and those of all organizations.`
          : "Your own fields on every device."
      }
    >
      <Group gap="sm">
        <ImportButton>Import</ImportButton>
        {mayManage && (
          <Button leftSection={<Plus size={15} aria-hidden />} onClick={onCreate}>
            New field
          </Button>
        )}
      </Group>
    </PageHeader>
  );
}

/** Makes the partner's fields and an organization's own easy to tell apart. */
function Owner({ field, name }: { field: Definition; name: string }) {
  const Icon = field.orgId ? Building2 : Layers;
  return (
    <span className={classes.owner} data-partner={field.orgId === null || undefined}>
      <Icon size={13} strokeWidth={1.75} aria-hidden />
      {name}
    </span>
  );
}

function Rules({ field }: { field: Definition }) {
  if (field.secret) return <StateTag tone="warn">Secret</StateTag>;
  return field.required ? "Required" : null;
}
