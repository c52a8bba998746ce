"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { DEFAULT_OVERLAP_SECONDS, OverlapSelect } from "@/components/ui/dialogs/overlap-select";
import { useForm } from "@/components/ui/dialogs/use-form";
import { useInvalidation } from "@/components/use-invalidation";
import { rotateInput, type Webhook } from "@/server/notify/webhooks/schema";
import { SecretShown } from "./secret-shown";

/** Gives an endpoint a new secret and shows it once. */
export function RotateWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const form = useForm({ overlapSeconds: DEFAULT_OVERLAP_SECONDS });
  const rotate = useMutation(trpc.webhooks.rotate.mutationOptions(useInvalidation(trpc.webhooks.pathFilter())));
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
      <OverlapSelect
        label="Also sign with the current secret for"
        description="Long enough to give the new one to the receiver"
        {...form.field("overlapSeconds")}
      />
    </FormDialog>
  );
}
