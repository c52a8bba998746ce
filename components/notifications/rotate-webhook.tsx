"use client";

import { Select } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { rotateInput, type Webhook } from "@/server/webhooks/schema";
import { SecretShown } from "./secret-shown";

const OVERLAPS = [
  { value: "0", label: "Not at all" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days" },
];

/** Gives an endpoint a new secret and shows it this once. */
export function RotateWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const form = useForm({ overlapSeconds: "86400" });
  const rotate = useMutation(
    trpc.webhooks.rotate.mutationOptions({ onSuccess: () => cache.invalidateQueries(trpc.webhooks.pathFilter()) }),
  );
  if (rotate.data)
    return <SecretShown title={`New secret of ${webhook.name}`} secret={rotate.data.secret} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={`Rotate the secret of ${webhook.name}`}
      action="Rotate secret"
      onSubmit={({ overlapSeconds }) =>
        form.send(rotateInput, rotate, { id: webhook.id, overlapSeconds: Number(overlapSeconds) })
      }
      onClose={onClose}
    >
      <Select
        label="Messages are signed with the present secret too for"
        description="Long enough to give the new one to the receiver"
        data={OVERLAPS}
        {...form.field("overlapSeconds")}
        data-autofocus
      />
    </FormDialog>
  );
}
