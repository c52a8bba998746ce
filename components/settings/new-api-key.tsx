"use client";

import { Button, Checkbox, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMe, useOrg } from "@/components/frame/org";
import { type Inputs, useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { formErrors } from "@/components/ui/dialogs/form-errors";
import { CopyLine } from "@/components/ui/dialogs/secret";
import { KEY_PERMISSIONS } from "@/server/api-keys/schema";
import { expiryOf, LIFETIMES } from "./key-state";

type Permission = Inputs["apiKeys"]["create"]["permissions"][number];

const PERMISSION_LABEL: Record<Permission, string> = {
  "audit:read": "Read the audit log",
  "audit:export": "Export the audit log",
  "audit:manage": "Change audit retention",
  "audit:write": "Write audit events",
  "devices:read": "Read devices and their logs",
  "devices:live": "Query live event logs",
  "custom_fields:read": "Read custom fields",
  "custom_fields:manage": "Change custom fields",
  "custom_fields:import": "Import custom fields",
  "organizations:manage": "Manage organizations",
  "users:manage": "Manage users",
  "api_keys:manage": "Manage API keys",
  "agents:enroll": "Enroll agents",
};
const ALL = "all";

/** Makes a key and shows it this once. */
export function NewApiKey({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const create = useMutation(
    trpc.apiKeys.create.mutationOptions({ onSuccess: () => cache.invalidateQueries(trpc.apiKeys.pathFilter()) }),
  );
  if (create.data)
    return (
      <Modal opened onClose={onClose} title={`Key of ${create.data.name}`} closeOnClickOutside={false}>
        <Stack gap="lg">
          <CopyLine
            label="API key"
            value={create.data.key}
            note="Shown this once. Keep it where your program reads its secrets."
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    );
  return <KeyForm isBusy={create.isPending} error={create.error} onCreate={create.mutate} onClose={onClose} />;
}

type FormProps = {
  isBusy: boolean;
  error: unknown;
  onCreate: (input: Inputs["apiKeys"]["create"]) => void;
  onClose: () => void;
};

function KeyForm({ isBusy, error, onCreate, onClose }: FormProps) {
  const mine = useMe().permissions as readonly string[];
  const { orgId, organizations } = useOrg();
  const [org, setOrg] = useState(orgId ?? (organizations.length > 1 ? ALL : (organizations[0]?.id ?? ALL)));
  const [life, setLife] = useState("90");
  const [permissions, setPermissions] = useState<string[]>(["audit:read"]);
  const errors = formErrors(error, ["name", "permissions", "orgId", "expiresAt"]);
  const offered = KEY_PERMISSIONS.filter((p) => p === "audit:write" || mine.includes(p));
  const save = (form: FormData) =>
    onCreate({
      name: String(form.get("name")),
      permissions: permissions as Permission[],
      expiresAt: expiryOf(life),
      ...(org === ALL ? {} : { orgId: org }),
    });
  return (
    <FormDialog
      opened
      title="New API key"
      submit="Make key"
      isBusy={isBusy}
      error={errors.general}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        description="What will use it, such as Nightly export"
        required
        withAsterisk={false}
        maxLength={255}
        error={errors.of("name")}
        data-autofocus
      />
      {organizations.length > 1 && (
        <Select
          label="Organization"
          data={[
            { value: ALL, label: "All organizations" },
            ...organizations.map((o) => ({ value: o.id, label: o.name })),
          ]}
          value={org}
          onChange={(value) => value && setOrg(value)}
          allowDeselect={false}
          searchable
          error={errors.of("orgId")}
        />
      )}
      <Select
        label="Expires after"
        data={LIFETIMES}
        value={life}
        onChange={(value) => value && setLife(value)}
        allowDeselect={false}
        error={errors.of("expiresAt")}
      />
      <Checkbox.Group
        label="May"
        value={permissions}
        onChange={setPermissions}
        error={errors.of("permissions") ?? (permissions.length === 0 ? "Choose at least one" : null)}
      >
        <Stack gap="sm" mt="sm">
          {offered.map((permission) => (
            <Checkbox
              key={permission}
              value={permission}
              label={
                <>
                  {PERMISSION_LABEL[permission]}{" "}
                  <Text span size="xs" c="dimmed" ff="monospace">
                    {permission}
                  </Text>
                </>
              }
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormDialog>
  );
}
