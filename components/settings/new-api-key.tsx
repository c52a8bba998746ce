"use client";

import { Checkbox, type CheckboxGroupProps, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useFirstOrg } from "@/components/account/org-select";
import { type Inputs, useTRPC } from "@/components/trpc";
import { CopyLine } from "@/components/ui/dialogs/copy-line";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { createInput } from "@/server/api-keys/schema";
import { PERMISSIONS } from "@/server/auth/permissions";
import { expiryOf, LIFETIMES } from "./key-state";

type Permission = Inputs["apiKeys"]["create"]["permissions"][number];

const PERMISSION_LABEL: Record<Permission, string> = {
  "audit:read": "Read the audit log",
  "audit:export": "Export the audit log",
  "audit:manage": "Change audit retention",
  "audit:write": "Write audit entries",
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

/** Creates an API key and shows it this once. */
export function NewApiKey({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const isPartner = !useMe().user.role.startsWith("org_");
  const form = useForm({
    name: "",
    orgId: useFirstOrg({ withAll: true }),
    expiresAt: "90",
    permissions: ["audit:read"],
  });
  const create = useMutation(
    trpc.apiKeys.create.mutationOptions({ onSuccess: () => cache.invalidateQueries(trpc.apiKeys.pathFilter()) }),
  );
  if (create.data)
    return (
      <SecretDialog title={`Key of ${create.data.name}`} onClose={onClose}>
        <CopyLine
          label="API key"
          value={create.data.key}
          note="Shown only once. Store it where your program keeps its secrets."
        />
      </SecretDialog>
    );
  return (
    <FormDialog
      form={form}
      title="New API key"
      action="Create key"
      onSubmit={({ orgId, expiresAt, ...rest }) =>
        form.send(createInput, create, { ...rest, orgId: toOrgId(orgId), expiresAt: expiryOf(expiresAt) })
      }
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="What will use it, such as Nightly export"
        required
        {...form.field("name")}
        data-autofocus
      />
      <OrgSelect withAll={isPartner} {...form.field("orgId")} />
      <Select label="Expires after" data={LIFETIMES} {...form.field("expiresAt")} />
      <Permissions {...form.field("permissions")} />
    </FormDialog>
  );
}

/** What the key may do: at most what its creator may. */
function Permissions(field: Omit<CheckboxGroupProps, "children">) {
  const mine = useMe().permissions;
  const offered = PERMISSIONS.filter((p) => p === "audit:write" || mine.includes(p));
  return (
    <Checkbox.Group label="Permissions" {...field}>
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
  );
}
