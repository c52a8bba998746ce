"use client";

import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useDone } from "@/components/ui/dialogs/use-done";
import { useForm } from "@/components/ui/dialogs/use-form";
import { createInput, type Organization, updateInput } from "@/server/organizations/schema";

/** Creates an organization, or renames the one that is given. */
export function OrganizationDialog({ organization, onClose }: { organization?: Organization; onClose: () => void }) {
  const trpc = useTRPC();
  const form = useForm({ name: organization?.name ?? "" });
  const done = useDone(onClose, trpc.organizations.pathFilter(), trpc.me.pathFilter());
  const create = useMutation(trpc.organizations.create.mutationOptions(done));
  const update = useMutation(trpc.organizations.update.mutationOptions(done));
  return (
    <FormDialog
      form={form}
      title={organization ? "Rename organization" : "New organization"}
      action={organization ? "Rename" : "Create organization"}
      onSubmit={({ name }) =>
        organization
          ? form.send(updateInput, update, { id: organization.id, name })
          : form.send(createInput, create, { name })
      }
      onClose={onClose}
    >
      <TextInput label="Name" required {...form.field("name")} data-autofocus />
    </FormDialog>
  );
}
