"use client";

import { Select, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { ORG_ROLES, PARTNER_ROLES, ROLE_MEANS, roleOptions } from "@/components/account/roles";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { useInvalidation } from "@/components/use-invalidation";
import { createInput } from "@/server/identity/users/schema";
import { AccessSelect } from "./access-select";
import { UserLink } from "./user-link";

/** Creates a user without a password and shows the link with which they choose one. */
export function InviteUser({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const { user, allOrganizations } = useMe();
  const isPartner = !user.role.startsWith("org_");
  const form = useForm({
    name: "",
    email: "",
    role: "org_viewer",
    orgId: useDefaultOrg(),
    organizationIds: allOrganizations ? null : ([] as string[] | null),
    department: "",
    requireTwoFactor: false,
  });
  const create = useMutation(trpc.users.create.mutationOptions(useInvalidation(trpc.users.pathFilter())));
  if (create.data) return <UserLink user={create.data} onClose={onClose} />;
  const isOrgRole = form.values.role.startsWith("org_");
  const roles = isPartner
    ? [
        { group: "One organization", items: roleOptions(ORG_ROLES) },
        { group: "Several organizations", items: roleOptions(PARTNER_ROLES) },
      ]
    : roleOptions(ORG_ROLES);
  return (
    <FormDialog
      form={form}
      title="Invite user"
      action="Invite user"
      onSubmit={({ orgId, organizationIds, ...rest }) =>
        form.send(createInput, create, {
          ...rest,
          ...(isOrgRole ? { orgId: toOrgId(orgId) } : { organizationIds: organizationIds ?? undefined }),
        })
      }
      onClose={onClose}
    >
      <TextInput label="Name" required {...form.field("name")} data-autofocus />
      <TextInput
        type="email"
        label="E-mail"
        description="They choose their own password through a link"
        required
        autoComplete="off"
        {...form.field("email")}
      />
      <Select label="Role" description={ROLE_MEANS[form.values.role]} data={roles} {...form.field("role")} />
      {isOrgRole ? <OrgSelect {...form.field("orgId")} /> : <AccessSelect {...form.field("organizationIds")} />}
      <TextInput label="Department" description="Optional" {...form.field("department")} />
      <Switch
        label="Require two-factor sign-in"
        description="They set it up at their first sign-in, before anything else"
        {...form.checkbox("requireTwoFactor")}
      />
    </FormDialog>
  );
}
