"use client";

import { MultiSelect, Radio, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { useMe, useOrg } from "@/components/account/org";
import { OrgSelect, toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { ORG_ROLES, PARTNER_ROLES, ROLE_MEANS, roleOptions } from "@/components/account/roles";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { CopyLine, SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { changesOf, useForm } from "@/components/ui/dialogs/use-form";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import { errorText, Message } from "@/components/ui/notice";
import { useOnce } from "@/components/ui/use-once";
import { useInvalidation } from "@/components/use-invalidation";
import { createInput, type User, updateInput } from "@/server/identity/users/schema";

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

type UserLinkProps = { user: { id: string; name: string; email: string }; onClose: () => void };
type Invitation = Outputs["users"]["invite"];

/** Creates a link with which a user chooses a password: mailed, or shown once. */
function UserLink({ user, onClose }: UserLinkProps) {
  const invite = useMutation(useTRPC().users.invite.mutationOptions());
  useOnce(() => invite.mutate({ id: user.id }));
  return (
    <SecretDialog title={`Link for ${user.name}`} onClose={onClose}>
      {invite.isError && <Message tone="bad">{errorText(invite.error)}</Message>}
      {invite.isPending && <Text role="status">Preparing the link</Text>}
      {invite.data && <Invited invitation={invite.data} />}
    </SecretDialog>
  );
}

function Invited({ invitation: { kind, sentTo, link, expiresAt } }: { invitation: Invitation }) {
  const until = (
    <>
      {" "}
      Valid for one use, until <When at={expiresAt} />.
    </>
  );
  if (!link)
    return (
      <Text role="status">
        Sent to {sentTo}.{until}
      </Text>
    );
  return (
    <>
      <CopyLine
        label={kind === "invite" ? "Invitation link" : "Password reset link"}
        value={link}
        note="Shown only once. Send it to them yourself: anyone who has it can choose the password."
      />
      <Text size="sm" c="dimmed">
        {until}
      </Text>
    </>
  );
}

type SendLinkProps = { user: { id: string; name: string; email: string; invited: boolean }; onClose: () => void };

/** Confirms before creating a password link for a user: earlier links stop working. */
export function SendLink({ user, onClose }: SendLinkProps) {
  useReturnedFocus();
  const [isConfirmed, setIsConfirmed] = useState(false);
  if (isConfirmed) return <UserLink user={user} onClose={onClose} />;
  return (
    <Confirm
      title={user.invited ? `Invite ${user.name} again` : `Reset the password of ${user.name}`}
      action="Create link"
      isReversible
      isBusy={false}
      error={null}
      onConfirm={() => setIsConfirmed(true)}
      onClose={onClose}
    >
      {user.name} gets a new link to choose a password: by e-mail, or shown to you if no mail server is set up. An
      earlier link stops working{user.invited ? "." : "; the current password works until the new link is used."}
      {!user.invited && (
        <details>
          <summary>Details</summary>
          Their account at an identity provider is unlinked. Their next sign-in there with this e-mail address links it
          again.
        </details>
      )}
    </Confirm>
  );
}

type AccessProps = { value?: string[] | null; onChange?: (value: string[] | null) => void; error?: ReactNode };

/**
 * A partner user's access: all organizations, including future ones (null), or selected ones. Users can only grant
 * access that they have themselves.
 */
function AccessSelect({ value = null, onChange, error }: AccessProps) {
  const { allOrganizations } = useMe();
  const { organizations } = useOrg();
  const isAll = value === null;
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Access"
        value={isAll ? "all" : "chosen"}
        onChange={(choice) => onChange?.(choice === "all" ? null : [])}
      >
        <Stack gap="xs" mt="xs">
          {(allOrganizations || isAll) && <Radio value="all" label="All organizations, including new ones" />}
          <Radio value="chosen" label="Chosen organizations" />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <MultiSelect
          label="Organizations"
          placeholder={value.length === 0 ? "Choose at least one" : undefined}
          data={organizations.map((o) => ({ value: o.id, label: o.name }))}
          value={value}
          onChange={onChange}
          error={error}
          searchable
          hidePickedOptions
        />
      )}
    </Stack>
  );
}
