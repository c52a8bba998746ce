"use client";

import { Group } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { Building2, Layers } from "lucide-react";
import { useCan, useMe, useOrg } from "@/components/account/org";
import { counted } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { useDone } from "@/components/ui/dialogs/form-dialog";
import { onePage } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag } from "@/components/ui/state-tag";
import { type Definition, FIELD_TYPE_LABELS } from "@/server/custom-fields/schema";
import { FieldDialog } from "./field-dialog";
import { ImportButton } from "./import-button";

/** Deletes a field after stating how many values are deleted with it. */
function DeleteField({ field, onClose }: { field: Definition; onClose: () => void }) {
  const trpc = useTRPC();
  const usage = useQuery(trpc.customFields.usage.queryOptions({ id: field.id }));
  const remove = useMutation(
    trpc.customFields.remove.mutationOptions(useDone(onClose, trpc.customFields.pathFilter())),
  );
  const values = usage.data
    ? counted(usage.data.values, "device holds a value", "devices hold a value")
    : "Counting values";
  return (
    <Confirm
      title={`Delete ${field.name}`}
      action="Delete field"
      isBusy={remove.isPending}
      error={remove.error ?? usage.error}
      onConfirm={() => remove.mutate({ id: field.id })}
      onClose={onClose}
    >
      {values} of this field. {usage.data?.values ? "The values are deleted with it and cannot be restored." : ""}
    </Confirm>
  );
}

const ownerOf = (field: Definition, nameOf: (id: string) => string): string =>
  field.orgId ? nameOf(field.orgId) : "All organizations";

function typeOf(field: Definition): string {
  const choices = field.options ? ` (${field.options.length} choices)` : "";
  return `${FIELD_TYPE_LABELS[field.type]}${choices}`;
}

/** The custom field definitions, which add fields to every device. */
export function CustomFields() {
  const { orgId, org, nameOf } = useOrg();
  const { allOrganizations } = useMe();
  const mayManage = useCan("custom_fields:manage");
  const list = useQuery(
    useTRPC().customFields.list.queryOptions({ orgId }, { placeholderData: keepPreviousData, select: onePage }),
  );
  const mayChange = (field: Definition) => mayManage && (allOrganizations || field.orgId !== null);
  const actionsOf = (field: Definition): RowAction[] => [
    {
      verb: "Edit",
      label: `Edit ${field.name}`,
      dialog: (onClose) => <FieldDialog field={field} onClose={onClose} />,
    },
    {
      verb: "Delete",
      label: `Delete ${field.name}`,
      dialog: (onClose) => <DeleteField field={field} onClose={onClose} />,
    },
  ];
  return (
    <RecordSection
      level="page"
      title="Custom fields"
      lead={
        org
          ? `Fields on every device of ${org.name}: its own and those of all organizations.`
          : "Your own fields on every device."
      }
      what="the custom fields"
      list={list}
      columns={[
        { header: "Name", cell: (f) => f.name },
        { header: "Key", cell: (f) => <code>{f.fieldKey}</code>, width: 200 },
        { header: "Type", cell: typeOf, width: 170 },
        { header: "Owner", cell: (f) => <Owner field={f} name={ownerOf(f, nameOf)} />, width: 200 },
        { header: "Rules", cell: (f) => <Rules field={f} />, width: 150, minor: true },
      ]}
      actions={
        list.data?.data.some(mayChange)
          ? { width: 160, of: (field) => (mayChange(field) ? actionsOf(field) : []) }
          : undefined
      }
      create={mayManage ? { label: "New field", dialog: (onClose) => <FieldDialog onClose={onClose} /> } : undefined}
      buttons={<ImportButton>Import</ImportButton>}
      empty={{
        title: "No custom fields yet",
        text: "Create one here, or import definitions and values from another product.",
      }}
    />
  );
}

/** Makes the partner's fields and an organization's own easy to tell apart. */
function Owner({ field, name }: { field: Definition; name: string }) {
  const Icon = field.orgId ? Building2 : Layers;
  return (
    <Group component="span" gap={6} wrap="nowrap">
      <Icon
        size={13}
        color={field.orgId ? "var(--tm-quiet)" : "var(--tm-accent)"}
        style={{ flex: "none" }}
        aria-hidden
      />
      {name}
    </Group>
  );
}

function Rules({ field }: { field: Definition }) {
  if (field.secret) return <StateTag tone="warn">Secret</StateTag>;
  return field.required ? "Required" : null;
}
