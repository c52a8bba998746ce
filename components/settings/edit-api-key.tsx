"use client";

import { Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/components/trpc";
import { changesOf } from "@/components/ui/dialogs/changes";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useDone } from "@/components/ui/dialogs/use-done";
import { useForm } from "@/components/ui/dialogs/use-form";
import { type ApiKey, updateInput } from "@/server/identity/api-keys/schema";
import { expiryOf, LIFETIMES } from "./key-state";
import { PermissionBoxes } from "./permission-boxes";

const UNCHANGED = { value: "unchanged", label: "Keep unchanged" };

/** Edits a key's name, permissions or expiry; its secret stays the same. */
export function EditApiKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const trpc = useTRPC();
  const [initial] = useState({ name: apiKey.name, expiresAt: UNCHANGED.value, permissions: apiKey.permissions });
  const form = useForm(initial);
  const update = useMutation(trpc.apiKeys.update.mutationOptions(useDone(onClose, trpc.apiKeys.pathFilter())));
  return (
    <FormDialog
      form={form}
      title={`Edit ${apiKey.name}`}
      action="Save"
      onSubmit={async (values) => {
        const changes = changesOf(initial, values);
        if (!changes) return onClose();
        const { expiresAt, ...rest } = changes;
        await form.send(updateInput, update, {
          id: apiKey.id,
          ...rest,
          ...(expiresAt !== undefined && { expiresAt: expiryOf(expiresAt) }),
        });
      }}
      onClose={onClose}
    >
      <TextInput label="Name" required {...form.field("name")} data-autofocus />
      <Select label="Expires after" data={[UNCHANGED, ...LIFETIMES]} {...form.field("expiresAt")} />
      <PermissionBoxes {...form.field("permissions")} />
    </FormDialog>
  );
}
