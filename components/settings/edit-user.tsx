"use client";

import { Select, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { ORG_ROLES, PARTNER_ROLES, roleOptions } from "@/components/account/roles";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useDone } from "@/components/ui/dialogs/use-done";
import { useForm } from "@/components/ui/dialogs/use-form";
import { type User, updateInput } from "@/server/users/schema";
import { ReachSelect } from "./reach-select";

/** Changes a user's role, access or department, or stops them from signing in. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const trpc = useTRPC();
  const form = useForm({
    role: user.role,
    department: user.department,
    isActive: !user.disabled,
    organizationIds: user.organizationIds,
  });
  const update = useMutation(trpc.users.update.mutationOptions(useDone(onClose, trpc.users.pathFilter())));
  const isPartnerRole = user.orgId === null;
  const roles = roleOptions(user.role.startsWith("org_") ? ORG_ROLES : PARTNER_ROLES);
  return (
    <FormDialog
      form={form}
      title={`Edit ${user.name}`}
      action="Save"
      onSubmit={({ role, department, isActive, organizationIds }) =>
        form.send(updateInput, update, {
          id: user.id,
          department,
          disabled: !isActive,
          role: role === user.role ? undefined : role,
          organizationIds: isPartnerRole ? organizationIds : undefined,
        })
      }
      onClose={onClose}
    >
      <Select label="Role" data={roles} {...form.field("role")} data-autofocus />
      {isPartnerRole && <ReachSelect {...form.field("organizationIds")} />}
      <TextInput label="Department" {...form.field("department")} />
      <Switch
        label="Can sign in"
        description="Turning this off ends all of this user's sessions at once"
        {...form.checkbox("isActive")}
      />
    </FormDialog>
  );
}
