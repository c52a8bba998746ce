"use client";

import { Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { changesOf, type Form, useForm } from "@/components/ui/dialogs/use-form";
import {
  createInput,
  type Definition,
  FIELD_TYPE_LABELS,
  FIELD_TYPES,
  type FieldType,
  retypeInput,
  toFieldKey,
  updateInput,
} from "@/server/custom-fields/schema";

const TYPES = FIELD_TYPES.map((value) => ({ value, label: FIELD_TYPE_LABELS[value] }));

type Values = {
  name: string;
  fieldKey: string;
  type: FieldType;
  orgId: string;
  options: string;
  required: boolean;
  secret: boolean;
};

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** Creates or edits a field. The key of an existing field cannot change. */
export function FieldDialog({ field, onClose }: { field?: Definition; onClose: () => void }) {
  const trpc = useTRPC();
  const { allOrganizations } = useMe();
  const defaultOrg = useDefaultOrg({ withAll: allOrganizations });
  const [initial] = useState<Values>({
    name: field?.name ?? "",
    fieldKey: "",
    type: field?.type ?? "text",
    orgId: defaultOrg,
    options: field?.options?.join("\n") ?? "",
    required: field?.required ?? false,
    secret: field?.secret ?? false,
  });
  const form = useForm(initial);
  const done = useDone(onClose, trpc.customFields.pathFilter());
  const create = useMutation(trpc.customFields.create.mutationOptions(done));
  const update = useMutation(trpc.customFields.update.mutationOptions(done));
  const setType = useMutation(trpc.customFields.retype.mutationOptions(done));
  const save = async (values: Values) => {
    const { orgId, options, ...rest } = values;
    const choices = values.type === "dropdown" ? linesOf(options) : null;
    if (!field) return form.send(createInput, create, { ...rest, options: choices, orgId: toOrgId(orgId) });
    const changes = changesOf(initial, values);
    if (!changes) return onClose();
    const { type, options: changed, ...others } = changes;
    const draft = { id: field.id, ...others, ...(changed !== undefined && { options: choices }) };
    return type ? form.send(retypeInput, setType, { ...draft, type }) : form.send(updateInput, update, draft);
  };
  return (
    <FormDialog
      form={form}
      title={field ? `Edit ${field.name}` : "New custom field"}
      action={field ? "Save" : "Create field"}
      onSubmit={save}
      onClose={onClose}
    >
      {field ? (
        <>
          <TextInput label="Name" required {...form.field("name")} data-autofocus />
          <Select
            label="Type"
            description="It can change when every stored value fits the new type."
            data={TYPES}
            {...form.field("type")}
          />
        </>
      ) : (
        <Identity form={form} />
      )}
      {form.values.type === "dropdown" && (
        <Textarea
          label="Choices"
          description="One per line"
          autosize
          minRows={3}
          maxRows={10}
          {...form.field("options")}
        />
      )}
      <Checkbox label="Required: it cannot be cleared" {...form.checkbox("required")} />
      <Checkbox
        label="Secret: masked for users who cannot edit fields, never written to the audit log"
        {...form.checkbox("secret")}
      />
    </FormDialog>
  );
}

/** A new field's name, key and type. The key follows the name until the user edits it. */
function Identity({ form }: { form: Form<Values> }) {
  const { user, allOrganizations } = useMe();
  const isPartner = !user.role.startsWith("org_");
  const [isKeyTyped, setKeyTyped] = useState(false);
  const name = form.field("name");
  const key = form.field("fieldKey");
  return (
    <>
      <TextInput
        label="Name"
        required
        {...name}
        onChange={(event) => {
          name.onChange(event);
          const { value } = event.currentTarget;
          if (!isKeyTyped) form.set("fieldKey", value.trim() && toFieldKey(value));
        }}
        data-autofocus
      />
      <TextInput
        label="Key"
        description="Its name in the API: lowercase letters, digits and underscores. It cannot be changed later."
        required
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        {...key}
        onChange={(event) => {
          key.onChange(event);
          setKeyTyped(true);
        }}
      />
      <Select label="Type" data={TYPES} {...form.field("type")} />
      {isPartner && <OrgSelect label="Owner" withAll={allOrganizations} {...form.field("orgId")} />}
    </>
  );
}
