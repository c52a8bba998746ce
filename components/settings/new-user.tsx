"use client";

import { PasswordInput, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useFirstOrg } from "@/components/account/org-select";
import { ORG_ROLES, PARTNER_ROLES, roleOptions } from "@/components/account/roles";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useDone } from "@/components/ui/dialogs/use-done";
import { useForm } from "@/components/ui/dialogs/use-form";
import { MIN_PASSWORD_LENGTH } from "@/server/auth/schema";
import { createInput } from "@/server/users/schema";

/** Creates a user. A role in one organization needs the organization. */
export function NewUser({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const isPartner = !useMe().user.role.startsWith("org_");
  const form = useForm({ name: "", email: "", password: "", role: "org_viewer", orgId: useFirstOrg(), department: "" });
  const create = useMutation(trpc.users.create.mutationOptions(useDone(onClose, trpc.users.pathFilter())));
  const isOrgRole = form.values.role.startsWith("org_");
  const roles = isPartner
    ? [
        { group: "One organization", items: roleOptions(ORG_ROLES) },
        { group: "All organizations", items: roleOptions(PARTNER_ROLES) },
      ]
    : roleOptions(ORG_ROLES);
  return (
    <FormDialog
      form={form}
      title="New user"
      action="Create user"
      onSubmit={({ orgId, ...rest }) =>
        form.send(createInput, create, { ...rest, orgId: isOrgRole ? toOrgId(orgId) : undefined })
      }
      onClose={onClose}
    >
      <TextInput label="Name" required {...form.field("name")} data-autofocus />
      <TextInput type="email" label="E-mail" required autoComplete="off" {...form.field("email")} />
      <PasswordInput
        label="Password"
        description={`At least ${MIN_PASSWORD_LENGTH} characters. Do not send it by e-mail.`}
        required
        autoComplete="new-password"
        {...form.field("password")}
      />
      <Select label="Role" data={roles} {...form.field("role")} />
      {isOrgRole && <OrgSelect {...form.field("orgId")} />}
      <TextInput label="Department" description="Optional" {...form.field("department")} />
    </FormDialog>
  );
}
