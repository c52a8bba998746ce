"use client";

import { Select, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { zoneChoices } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { changesOf, useForm } from "@/components/ui/dialogs/use-form";
import { createInput, type Organization, updateInput } from "@/server/organizations/schema";

/** Creates or edits an organization: its name, time zone, and whether its users need a second factor. */
export function OrganizationDialog({ organization, onClose }: { organization?: Organization; onClose: () => void }) {
  const trpc = useTRPC();
  const [initial] = useState({
    name: organization?.name ?? "",
    requireTwoFactor: organization?.requireTwoFactor ?? false,
    timeZone: organization?.timeZone ?? null,
  });
  const form = useForm(initial);
  const done = useDone(onClose, trpc.organizations.pathFilter(), trpc.me.pathFilter());
  const create = useMutation(trpc.organizations.create.mutationOptions(done));
  const update = useMutation(trpc.organizations.update.mutationOptions(done));
  return (
    <FormDialog
      form={form}
      title={organization ? "Edit organization" : "New organization"}
      action={organization ? "Save" : "Create organization"}
      onSubmit={async (values) => {
        if (!organization) return form.send(createInput, create, { name: values.name });
        const changes = changesOf(initial, values);
        return changes ? form.send(updateInput, update, { id: organization.id, ...changes }) : onClose();
      }}
      onClose={onClose}
    >
      <TextInput label="Name" required {...form.field("name")} data-autofocus />
      {organization && (
        <Select
          label="Time zone"
          description="Reports can use it instead of each reader's own zone; scheduled reports can follow it"
          placeholder="None chosen"
          data={zoneChoices(organization.timeZone)}
          searchable
          clearable
          {...form.field("timeZone")}
        />
      )}
      {organization && (
        <Switch
          label="Require two-factor sign-in"
          description={
            organization.isHome
              ? "Applies to your own staff at their next request"
              : "Applies to its users at their next request"
          }
          {...form.checkbox("requireTwoFactor")}
        />
      )}
    </FormDialog>
  );
}
