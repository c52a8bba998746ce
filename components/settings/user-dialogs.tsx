"use client";

import { PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ORG_ROLES, PARTNER_ROLES, ROLE_LABEL } from "@/components/account/roles";
import { useMe, useOrg } from "@/components/frame/org";
import { type Inputs, useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { formErrors } from "@/components/ui/dialogs/form-errors";
import { MIN_PASSWORD_LENGTH } from "@/server/auth/schema";
import type { User } from "@/server/users/schema";

type Role = Inputs["users"]["create"]["role"];
const FIELDS = ["name", "email", "password", "role", "orgId", "department"];
const options = (roles: readonly string[]) => roles.map((value) => ({ value, label: ROLE_LABEL[value] ?? value }));

function useDone(onClose: () => void) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  return {
    onSuccess: async () => {
      onClose();
      await cache.invalidateQueries(trpc.users.pathFilter());
    },
  };
}

/** Makes a person. An organization's role needs the organization. */
export function NewUser({ onClose }: { onClose: () => void }) {
  const { user: me } = useMe();
  const { orgId, organizations } = useOrg();
  const [role, setRole] = useState<Role>("org_viewer");
  const [org, setOrg] = useState<string | null>(orgId ?? organizations[0]?.id ?? null);
  const create = useMutation(useTRPC().users.create.mutationOptions(useDone(onClose)));
  const errors = formErrors(create.error, FIELDS);
  const isPartner = !me.role.startsWith("org_");
  const isOrgRole = role.startsWith("org_");
  const roles = isPartner
    ? [
        { group: "One organization", items: options(ORG_ROLES) },
        { group: "All organizations", items: options(PARTNER_ROLES) },
      ]
    : options(ORG_ROLES);
  const text = (form: FormData, name: string) => String(form.get(name) ?? "");
  const save = (form: FormData) =>
    create.mutate({
      name: text(form, "name"),
      email: text(form, "email"),
      password: text(form, "password"),
      department: text(form, "department"),
      role,
      ...(isOrgRole && org ? { orgId: org } : {}),
    });
  return (
    <FormDialog
      opened
      title="New user"
      submit="Make user"
      isBusy={create.isPending}
      error={errors.general}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        required
        withAsterisk={false}
        maxLength={255}
        error={errors.of("name")}
        data-autofocus
      />
      <TextInput
        name="email"
        type="email"
        label="E-mail"
        required
        withAsterisk={false}
        autoComplete="off"
        error={errors.of("email")}
      />
      <PasswordInput
        name="password"
        label="Password"
        description={`At least ${MIN_PASSWORD_LENGTH} characters; hand it over by another way than e-mail`}
        required
        withAsterisk={false}
        minLength={MIN_PASSWORD_LENGTH}
        autoComplete="new-password"
        error={errors.of("password")}
        visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
      />
      <Select
        label="Role"
        data={roles}
        value={role}
        onChange={(value) => value && setRole(value as Role)}
        allowDeselect={false}
        error={errors.of("role")}
      />
      {isOrgRole && organizations.length > 1 && (
        <Select
          label="Organization"
          data={organizations.map((o) => ({ value: o.id, label: o.name }))}
          value={org}
          onChange={setOrg}
          allowDeselect={false}
          searchable
          error={errors.of("orgId")}
        />
      )}
      <TextInput
        name="department"
        label="Department"
        description="Optional"
        maxLength={255}
        error={errors.of("department")}
      />
    </FormDialog>
  );
}

/** Changes a person's role or department, or takes the sign-in away. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const [role, setRole] = useState(user.role);
  const [isActive, setActive] = useState(!user.disabled);
  const update = useMutation(useTRPC().users.update.mutationOptions(useDone(onClose)));
  const errors = formErrors(update.error, FIELDS);
  const roles = options(user.role.startsWith("org_") ? ORG_ROLES : PARTNER_ROLES);
  const save = (form: FormData) =>
    update.mutate({
      id: user.id,
      department: String(form.get("department") ?? ""),
      disabled: !isActive,
      ...(role === user.role ? {} : { role: role as Role }),
    });
  return (
    <FormDialog
      opened
      title={`Edit ${user.name}`}
      submit="Save"
      isBusy={update.isPending}
      error={errors.general}
      onSubmit={save}
      onClose={onClose}
    >
      <Select
        label="Role"
        data={roles}
        value={role}
        onChange={(value) => value && setRole(value)}
        allowDeselect={false}
        error={errors.of("role")}
        data-autofocus
      />
      <TextInput
        name="department"
        label="Department"
        defaultValue={user.department}
        maxLength={255}
        error={errors.of("department")}
      />
      <Switch
        label="May sign in"
        description="Off ends every session of this person at once"
        checked={isActive}
        onChange={(event) => setActive(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
