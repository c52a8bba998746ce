"use client";

import { Box, Switch, Text } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import Link from "next/link";
import { parseAsStringLiteral } from "nuqs";
import { useMe, useOmissionNote, useOrg } from "@/components/account/org";
import { roleName } from "@/components/account/roles";
import { actorPath } from "@/components/audit/entry";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { FilterSelect } from "@/components/ui/filter-select";
import { errorText, Message } from "@/components/ui/notice";
import { ListTools } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import type { Column } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import { StateTag } from "@/components/ui/state-tag";
import { useListView } from "@/components/ui/use-list-view";
import { useInvalidation } from "@/components/use-invalidation";
import type { User } from "@/server/identity/users/schema";

const InviteUser = dynamic(() => import("./user-dialogs").then((m) => m.InviteUser), { ssr: false });
const SendLink = dynamic(() => import("./user-dialogs").then((m) => m.SendLink), { ssr: false });
const EditUser = dynamic(() => import("./user-dialogs").then((m) => m.EditUser), { ssr: false });

const LEAD = "People who can sign in, and what they have access to.";

/** The users with their role, access and state. */
export function Users() {
  const trpc = useTRPC();
  const { user: me, allOrganizations } = useMe();
  const { orgId, nameOf } = useOrg();
  const leftOut = useOmissionNote({
    theirs: "Staff of your service provider",
    ours: "Your own staff with access to it",
  });
  const { view, setView, onSearch } = useListView({ twoFactor: parseAsStringLiteral(["on", "off"]) });
  const input = {
    page: view.page,
    search: view.search ?? undefined,
    orgId,
    ...(view.twoFactor && { twoFactor: view.twoFactor === "on" }),
  };
  const list = useQuery(trpc.users.list.queryOptions(input, { placeholderData: keepPreviousData }));
  const actionsOf = (user: User): RowAction[] => {
    const { name, invited, disabled } = user;
    const isStaff = user.orgId === null;
    const link: RowAction = {
      verb: invited ? "Invite again" : "Reset",
      label: invited ? `Invite again: ${name}` : `Reset the password of ${name}`,
      disabledReason: isStaff && !user.organizationIds && !allOrganizations ? NEEDS_FULL_ACCESS : undefined,
      dialog: (onClose) => <SendLink user={user} onClose={onClose} />,
    };
    const edit: RowAction = {
      verb: "Edit",
      label: `Edit ${name}`,
      disabledReason: isStaff && !allOrganizations ? NEEDS_FULL_ACCESS : undefined,
      dialog: (onClose) => <EditUser user={user} onClose={onClose} />,
    };
    return disabled ? [edit] : [link, edit];
  };
  return (
    <RecordSection
      level="page"
      title="Users"
      lead={leftOut ? `${LEAD} ${leftOut}` : LEAD}
      what="the users"
      list={list}
      onPage={(page) => setView({ page })}
      columns={columnsOf((user) => accessOf(user, { nameOf, seesAll: allOrganizations }))}
      actions={{
        width: 150,
        of: (u) => (u.id === me.id ? [] : actionsOf(u)),
        otherwise: () => (
          <Text span size="sm" c="dimmed" px={8}>
            You
          </Text>
        ),
      }}
      create={{ label: "Invite user", dialog: (onClose) => <InviteUser onClose={onClose} /> }}
      empty={{ title: emptyTitle(view) }}
    >
      {allOrganizations && <RequireTwoFactor />}
      <ListTools>
        <SearchField label="Search by name or e-mail" value={view.search ?? ""} onSearch={onSearch} />
        <FilterSelect
          label="Two-factor"
          options={[
            { value: "on", label: "Two-factor on" },
            { value: "off", label: "Two-factor off" },
          ]}
          value={view.twoFactor}
          onChange={(twoFactor) => setView({ twoFactor, page: null })}
          width={170}
        />
      </ListTools>
    </RecordSection>
  );
}

const columnsOf = (access: (user: User) => string): Column<User>[] => [
  {
    header: "Name",
    cell: (u) => (
      <>
        <Link href={actorPath(u.id)} prefetch={false} className="tm-link">
          {u.name}
        </Link>
        <small className="tm-clipped" title={u.email}>
          {u.email}
        </small>
      </>
    ),
  },
  { header: "Role", cell: (u) => roleName(u.role), width: 130 },
  { header: "Access", cell: access, width: 170 },
  { header: "Department", cell: (u) => u.department || "None", width: 116, minor: true },
  { header: "Last sign-in", cell: (u) => <When at={u.lastLoginAt} />, width: 160, minor: true },
  {
    header: "Two-factor",
    cell: TwoFactorOf,
    width: 96,
  },
  { header: "State", cell: StateOf, width: 100 },
];

/** Why users with limited access cannot change the partner's own staff. */
const NEEDS_FULL_ACCESS = "only users with access to all organizations can do this";

function emptyTitle({ search, twoFactor }: { search: string | null; twoFactor: "on" | "off" | null }): string {
  if (search) return `No results for "${search}"`;
  return twoFactor ? `No users with two-factor ${twoFactor}` : "No users here yet";
}

function StateOf({ disabled, invited }: User) {
  if (disabled) return <StateTag tone="bad">Disabled</StateTag>;
  return invited ? <StateTag tone="off">Invited</StateTag> : <StateTag tone="good">Active</StateTag>;
}

function TwoFactorOf({ twoFactor, requireTwoFactor }: User) {
  if (twoFactor) return <StateTag tone="good">On</StateTag>;
  return requireTwoFactor ? <StateTag tone="warn">Required</StateTag> : <StateTag tone="off">Off</StateTag>;
}

type Reader = { nameOf: (orgId: string) => string; seesAll: boolean };

/** With limited access, the total number of another user's organizations is not shown: the count would be too low. */
function accessOf({ orgId, organizationIds }: User, { nameOf, seesAll }: Reader): string {
  if (orgId) return nameOf(orgId);
  if (!organizationIds) return "All organizations";
  const [only, ...others] = organizationIds;
  if (!seesAll) return only ? `${organizationIds.length} of your organizations` : "None of your organizations";
  return only && others.length === 0 ? nameOf(only) : `${organizationIds.length} organizations`;
}

/**
 * Requires a second factor from the partner's staff and all organizations' users. Only for users who can see all
 * organizations: for others, reading the setting would record a denial.
 */
function RequireTwoFactor() {
  const trpc = useTRPC();
  const policy = useQuery(trpc.organizations.partnerPolicy.queryOptions({}));
  const save = useMutation(
    trpc.organizations.setPartnerPolicy.mutationOptions(useInvalidation(trpc.organizations.pathFilter())),
  );
  if (!policy.data) return null;
  return (
    <Box px="edge">
      <Switch
        label="Require two-factor sign-in for everyone"
        description="Applies to everyone at their next request"
        checked={policy.data.requireTwoFactor}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ requireTwoFactor: event.currentTarget.checked })}
        mb="md"
      />
      {save.isError && <Message tone="bad">{errorText(save.error)}</Message>}
    </Box>
  );
}
