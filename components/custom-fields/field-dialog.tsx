"use client";

import { Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMe, useOrg } from "@/components/frame/org";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { formErrors } from "@/components/ui/dialogs/form-errors";
import {
  type Definition,
  FIELD_TYPE_LABELS,
  FIELD_TYPES,
  type FieldType,
  MAX_FIELD_KEY,
  MAX_FIELD_NAME,
} from "@/server/custom-fields/schema";

const FIELDS = ["name", "fieldKey", "type", "options", "defaultValue", "orgId"];
const TYPES = FIELD_TYPES.map((value) => ({ value, label: FIELD_TYPE_LABELS[value] }));
const ALL = "all";

/** "Asset tag" suggests asset_tag. */
const keyFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+|_+$/g, "")
    .slice(0, MAX_FIELD_KEY);

const linesOf = (text: FormDataEntryValue | null): string[] =>
  String(text ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** Makes a field, or changes what may change of one: key and type stay what they are. */
export function FieldDialog({ field, onClose }: { field?: Definition; onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { user } = useMe();
  const { orgId, organizations } = useOrg();
  const isPartner = !user.role.startsWith("org_");
  const [type, setType] = useState<FieldType>(field?.type ?? "text");
  const [key, setKey] = useState(field?.fieldKey ?? "");
  const [isKeyOwn, setKeyOwn] = useState(Boolean(field));
  const [owner, setOwner] = useState(orgId ?? (isPartner ? ALL : (organizations[0]?.id ?? ALL)));
  const done = {
    onSuccess: async () => {
      onClose();
      await cache.invalidateQueries(trpc.customFields.pathFilter());
    },
  };
  const create = useMutation(trpc.customFields.create.mutationOptions(done));
  const update = useMutation(trpc.customFields.update.mutationOptions(done));
  const errors = formErrors(create.error ?? update.error, FIELDS);
  const save = (form: FormData) => {
    const name = String(form.get("name"));
    const options = type === "dropdown" ? linesOf(form.get("options")) : null;
    const shared = { name, options, required: form.has("required"), secret: form.has("secret") };
    if (field) update.mutate({ id: field.id, ...shared });
    else create.mutate({ ...shared, fieldKey: key, type, ...(owner === ALL ? {} : { orgId: owner }) });
  };
  return (
    <FormDialog
      opened
      title={field ? `Edit ${field.name}` : "New custom field"}
      submit={field ? "Save" : "Make field"}
      isBusy={create.isPending || update.isPending}
      error={errors.general}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        defaultValue={field?.name}
        required
        withAsterisk={false}
        maxLength={MAX_FIELD_NAME}
        error={errors.of("name")}
        onChange={(event) => !isKeyOwn && setKey(keyFrom(event.currentTarget.value))}
        data-autofocus
      />
      {!field && (
        <>
          <TextInput
            label="Key"
            description="What the API calls it: small letters, digits and underscores. It never changes."
            value={key}
            onChange={(event) => {
              setKeyOwn(true);
              setKey(event.currentTarget.value);
            }}
            required
            withAsterisk={false}
            maxLength={MAX_FIELD_KEY}
            error={errors.of("fieldKey")}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          />
          <Select
            label="Type"
            description="It never changes."
            data={TYPES}
            value={type}
            onChange={(value) => value && setType(value as FieldType)}
            allowDeselect={false}
            error={errors.of("type")}
          />
          {isPartner && (
            <Select
              label="Owner"
              data={[
                { value: ALL, label: "All organizations" },
                ...organizations.map((o) => ({ value: o.id, label: o.name })),
              ]}
              value={owner}
              onChange={(value) => value && setOwner(value)}
              allowDeselect={false}
              searchable
              error={errors.of("orgId")}
            />
          )}
        </>
      )}
      {type === "dropdown" && (
        <Textarea
          name="options"
          label="Choices"
          description="One a line"
          defaultValue={field?.options?.join("\n")}
          autosize
          minRows={3}
          maxRows={10}
          error={errors.of("options")}
        />
      )}
      <Checkbox name="required" label="Required: it cannot be cleared" defaultChecked={field?.required} />
      <Checkbox
        name="secret"
        label="Secret: masked for people who may not change fields, never in the audit log"
        defaultChecked={field?.secret}
      />
    </FormDialog>
  );
}
