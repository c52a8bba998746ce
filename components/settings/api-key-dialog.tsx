"use client";

import { Checkbox, type CheckboxGroupProps, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import type { SecretWords } from "@/components/ui/dialogs/rotate-dialog";
import { CopyLine, SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { changesOf, useForm } from "@/components/ui/dialogs/use-form";
import { useInvalidation } from "@/components/use-invalidation";
import { PERMISSION_LABEL, PERMISSIONS } from "@/server/ground/permissions";
import { type ApiKey, createInput, updateInput } from "@/server/identity/api-keys/schema";
import { expiryOf, LIFETIMES } from "./key";

const UNCHANGED = { value: "unchanged", label: "Keep unchanged" };

type Props = { apiKey?: ApiKey; secret: SecretWords; onClose: () => void };

/** Creates an API key and shows it once, or edits one, whose secret stays the same. */
export function ApiKeyDialog({ apiKey, secret, onClose }: Props) {
  const trpc = useTRPC();
  const { allOrganizations } = useMe();
  const defaultOrg = useDefaultOrg({ withAll: allOrganizations });
  const [initial] = useState({
    name: apiKey?.name ?? "",
    orgId: defaultOrg,
    expiresAt: apiKey ? UNCHANGED.value : "90",
    permissions: apiKey?.permissions ?? ["audit:read"],
  });
  const form = useForm(initial);
  const create = useMutation(trpc.apiKeys.create.mutationOptions(useInvalidation(trpc.apiKeys.pathFilter())));
  const update = useMutation(trpc.apiKeys.update.mutationOptions(useDone(onClose, trpc.apiKeys.pathFilter())));
  const save = async ({ orgId, expiresAt, ...rest }: typeof initial) => {
    if (!apiKey)
      return form.send(createInput, create, { ...rest, orgId: toOrgId(orgId), expiresAt: expiryOf(expiresAt) });
    const changes = changesOf(initial, { ...initial, ...rest, expiresAt });
    if (!changes) return onClose();
    const { expiresAt: lifetime, ...others } = changes;
    return form.send(updateInput, update, {
      id: apiKey.id,
      ...others,
      ...(lifetime !== undefined && { expiresAt: expiryOf(lifetime) }),
    });
  };
  if (create.data)
    return (
      <SecretDialog title={`Key of ${create.data.name}`} onClose={onClose}>
        <CopyLine {...secret} value={create.data.key} />
      </SecretDialog>
    );
  return (
    <FormDialog
      form={form}
      title={apiKey ? `Edit ${apiKey.name}` : "New API key"}
      action={apiKey ? "Save" : "Create key"}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        {...(!apiKey && { description: "Purpose of the key, such as Nightly export" })}
        required
        {...form.field("name")}
        data-autofocus
      />
      {!apiKey && <OrgSelect withAll={allOrganizations} {...form.field("orgId")} />}
      <Select
        label="Expires after"
        data={apiKey ? [UNCHANGED, ...LIFETIMES] : LIFETIMES}
        {...form.field("expiresAt")}
      />
      <PermissionBoxes {...form.field("permissions")} />
    </FormDialog>
  );
}

/** A key's permissions, limited to those of the user who creates or edits it. */
function PermissionBoxes(field: Omit<CheckboxGroupProps, "children">) {
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
