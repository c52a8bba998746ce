"use client";

import { Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { CopyLine } from "@/components/ui/dialogs/copy-line";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { useInvalidation } from "@/components/use-invalidation";
import { createInput } from "@/server/identity/api-keys/schema";
import { expiryOf, LIFETIMES } from "./key-state";
import { PermissionBoxes } from "./permission-boxes";

/** Creates an API key and shows it once. */
export function NewApiKey({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const { allOrganizations } = useMe();
  const form = useForm({
    name: "",
    orgId: useDefaultOrg({ withAll: allOrganizations }),
    expiresAt: "90",
    permissions: ["audit:read"],
  });
  const create = useMutation(trpc.apiKeys.create.mutationOptions(useInvalidation(trpc.apiKeys.pathFilter())));
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
      <OrgSelect withAll={allOrganizations} {...form.field("orgId")} />
      <Select label="Expires after" data={LIFETIMES} {...form.field("expiresAt")} />
      <PermissionBoxes {...form.field("permissions")} />
    </FormDialog>
  );
}
