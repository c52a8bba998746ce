"use client";

import { Select, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ORG_ROLES, PARTNER_ROLES, ROLE_MEANS, roleOptions } from "@/components/account/roles";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { changesOf, useForm } from "@/components/ui/dialogs/use-form";
import { type User, updateInput } from "@/server/identity/users/schema";
import { AccessSelect } from "./access-select";

/** Edits a user's role, access, department or second factor, or disables them. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const trpc = useTRPC();
  const [initial] = useState({
    role: user.role,
    department: user.department,
    isActive: !user.disabled,
    organizationIds: user.organizationIds,
    requireTwoFactor: user.requireTwoFactor,
  });
  const form = useForm(initial);
  const update = useMutation(trpc.users.update.mutationOptions(useDone(onClose, trpc.users.pathFilter())));
  const isPartnerRole = user.orgId === null;
  const roles = roleOptions(user.role.startsWith("org_") ? ORG_ROLES : PARTNER_ROLES);
  return (
    <FormDialog
      form={form}
      title={`Edit ${user.name}`}
      action="Save"
      onSubmit={async (values) => {
        const changes = changesOf(initial, values);
        if (!changes) return onClose();
        const { isActive, ...rest } = changes;
        await form.send(updateInput, update, {
          id: user.id,
          ...rest,
          ...(isActive !== undefined && { disabled: !isActive }),
        });
      }}
      onClose={onClose}
    >
      <Select
        label="Role"
        description={ROLE_MEANS[form.values.role]}
        data={roles}
        {...form.field("role")}
        data-autofocus
      />
      {isPartnerRole && <AccessSelect {...form.field("organizationIds")} />}
      <TextInput label="Department" {...form.field("department")} />
      <Switch
        label="Require two-factor sign-in"
        description="Applies at their next request, even if their organization does not require it"
        {...form.checkbox("requireTwoFactor")}
      />
      <Switch
        label="Can sign in"
        description="Turning this off ends all of this user's sessions immediately"
        {...form.checkbox("isActive")}
      />
    </FormDialog>
  );
}
