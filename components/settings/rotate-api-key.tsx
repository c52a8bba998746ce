"use client";

import { Select } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { CopyLine } from "@/components/ui/dialogs/copy-line";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { type ApiKey, rotateInput } from "@/server/api-keys/schema";

const OVERLAPS = [
  { value: "0", label: "Not at all" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days" },
];

/** Gives a key a new secret and shows it this once. */
export function RotateApiKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const form = useForm({ overlapSeconds: "86400" });
  const rotate = useMutation(
    trpc.apiKeys.rotate.mutationOptions({ onSuccess: () => cache.invalidateQueries(trpc.apiKeys.pathFilter()) }),
  );
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
      <Select
        label="The present secret keeps working for"
        description="Long enough to give the new one to every program that uses this key"
        data={OVERLAPS}
        {...form.field("overlapSeconds")}
        data-autofocus
      />
    </FormDialog>
  );
}
