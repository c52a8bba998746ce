"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { CopyLine } from "@/components/ui/dialogs/copy-line";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { DEFAULT_OVERLAP_SECONDS, OverlapSelect } from "@/components/ui/dialogs/overlap-select";
import { SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { useInvalidation } from "@/components/use-invalidation";
import { type ApiKey, rotateInput } from "@/server/identity/api-keys/schema";

/** Gives a key a new secret and shows it once. */
export function RotateApiKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const trpc = useTRPC();
  const form = useForm({ overlapSeconds: DEFAULT_OVERLAP_SECONDS });
  const rotate = useMutation(trpc.apiKeys.rotate.mutationOptions(useInvalidation(trpc.apiKeys.pathFilter())));
  if (rotate.data)
    return (
      <SecretDialog title={`New secret of ${apiKey.name}`} onClose={onClose}>
        <CopyLine
          label="API key"
          value={rotate.data.key}
          note="Shown only once. Store it where your program keeps its secrets."
        />
      </SecretDialog>
    );
  return (
    <FormDialog
      form={form}
      title={`Rotate ${apiKey.name}`}
      action="Rotate key"
      onSubmit={({ overlapSeconds }) =>
        form.send(rotateInput, rotate, { id: apiKey.id, overlapSeconds: Number(overlapSeconds) })
      }
      onClose={onClose}
    >
      <OverlapSelect
        label="The current secret keeps working for"
        description="Long enough to give the new one to every program that uses this key"
        {...form.field("overlapSeconds")}
      />
    </FormDialog>
  );
}
