"use client";

import { Checkbox, Stack, TextInput } from "@mantine/core";
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
import { DEFAULT_PRODUCT_KINDS, KIND_NAMES, KINDS } from "@/server/notify/vocabulary";
import { createInput, updateInput, type Webhook } from "@/server/notify/webhooks/schema";

type Props = { webhook?: Webhook; secret: SecretWords; onClose: () => void };

/** Adds an endpoint and shows its secret once, or edits one. */
export function WebhookDialog({ webhook, secret, onClose }: Props) {
  const trpc = useTRPC();
  const { allOrganizations } = useMe();
  const create = useMutation(trpc.webhooks.create.mutationOptions(useInvalidation(trpc.webhooks.pathFilter())));
  const update = useMutation(trpc.webhooks.update.mutationOptions(useDone(onClose, trpc.webhooks.pathFilter())));
  const defaultOrg = useDefaultOrg({ withAll: allOrganizations });
  const [initial] = useState({
    name: webhook?.name ?? "",
    url: webhook?.url ?? "",
    orgId: defaultOrg,
    kinds: webhook?.kinds ?? [...DEFAULT_PRODUCT_KINDS],
  });
  const form = useForm(initial);
  const save = async (values: typeof initial) => {
    const { orgId, ...rest } = values;
    if (!webhook) return form.send(createInput, create, { ...rest, orgId: toOrgId(orgId) });
    const changes = changesOf(initial, values);
    return changes ? form.send(updateInput, update, { id: webhook.id, ...changes }) : onClose();
  };
  if (create.data)
    return (
      <SecretDialog title={`Secret of ${create.data.name}`} onClose={onClose}>
        <CopyLine {...secret} value={create.data.secret} />
      </SecretDialog>
    );
  return (
    <FormDialog
      form={form}
      title={webhook ? `Edit ${webhook.name}` : "New webhook"}
      action={webhook ? "Save" : "Create webhook"}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Receiver of the messages, such as Incident desk"
        required
        {...form.field("name")}
        data-autofocus
      />
      <TextInput
        label="Address"
        description="The https address that messages are posted to"
        required
        {...form.field("url")}
      />
      {!webhook && <OrgSelect withAll={allOrganizations} {...form.field("orgId")} />}
      <Checkbox.Group label="Kinds" {...form.field("kinds")}>
        <Stack gap="sm" mt="sm">
          {KIND_NAMES.map((kind) => (
            <Checkbox key={kind} value={kind} label={KINDS[kind].label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormDialog>
  );
}
