"use client";

import { Select } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { z } from "zod";
import { guid, overlapSeconds } from "@/server/ground/wire";
import { FormDialog } from "./form-dialog";
import { CopyLine, SecretDialog } from "./secret-dialog";
import { useForm } from "./use-form";

/** Label and note of a one-time secret. */
export type SecretWords = { label: string; note: string };

const rotation = z.strictObject({ id: guid, overlapSeconds });

const DAY = "86400";
const OVERLAPS = [
  { value: "0", label: "Not at all" },
  { value: "3600", label: "1 hour" },
  { value: DAY, label: "1 day" },
  { value: "604800", label: "7 days" },
];

const SIGNS = {
  label: "Also sign with the current secret for",
  description: "Long enough to give the new one to the receiver",
};

type Props = {
  owner: { id: string; name: string };
  title?: string;
  action?: string;
  /** How long the previous secret keeps working, and why; by default it signs messages. */
  overlap?: { label: string; description: string };
  rotate: (input: z.input<typeof rotation>) => Promise<string>;
  secret: SecretWords;
  onClose: () => void;
};

/** Gives its owner a new secret, shown only once. */
export function RotateDialog({ owner, title, action, overlap = SIGNS, rotate, secret, onClose }: Props) {
  const form = useForm({ overlapSeconds: DAY });
  const rotated = useMutation({ mutationFn: rotate });
  if (rotated.data)
    return (
      <SecretDialog title={`New secret of ${owner.name}`} onClose={onClose}>
        <CopyLine {...secret} value={rotated.data} />
      </SecretDialog>
    );
  return (
    <FormDialog
      form={form}
      title={title ?? `Rotate the secret of ${owner.name}`}
      action={action ?? "Rotate secret"}
      onSubmit={(values) =>
        form.send(rotation, rotated, { id: owner.id, overlapSeconds: Number(values.overlapSeconds) })
      }
      onClose={onClose}
    >
      <Select data={OVERLAPS} data-autofocus {...overlap} {...form.field("overlapSeconds")} />
    </FormDialog>
  );
}
