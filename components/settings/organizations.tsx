"use client";

import { Box, Switch } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { useMe } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import pagedClasses from "@/components/ui/paged-list.module.css";
import { RecordSection } from "@/components/ui/record-section";
import { SearchField } from "@/components/ui/search-field";
import { useInvalidation } from "@/components/use-invalidation";

const OrganizationDialog = dynamic(() => import("./organization-dialog").then((m) => m.OrganizationDialog), {
  ssr: false,
});

/** The organizations that the user can see; partner users create and rename them. */
export function Organizations() {
  const trpc = useTRPC();
  const { user, allOrganizations } = useMe();
  const [view, setView] = useQueryStates(
    { page: parseAsInteger.withDefault(1), search: parseAsString },
    { history: "push" },
  );
  const isPartner = !user.role.startsWith("org_");
  const input = { page: view.page, search: view.search ?? undefined };
  const list = useQuery(trpc.organizations.list.queryOptions(input, { placeholderData: keepPreviousData }));
  const onSearch = useCallback((search: string) => setView({ search: search || null, page: null }), [setView]);
  return (
    <RecordSection
      level="page"
      title="Organizations"
      lead="Your customers. Each has its own audit chain, people and devices."
      what="the organizations"
      list={list}
      onPage={(page) => setView({ page })}
      columns={[
        { header: "Name", cell: (o) => (o.isHome ? `${o.name} (your own staff)` : o.name) },
        { header: "Short name", cell: (o) => <code>{o.slug}</code>, minor: true, width: 240 },
        { header: "Created", cell: (o) => <When at={o.createdAt} dateOnly />, width: 160 },
      ]}
      actions={{
        width: 120,
        of: (o) => [
          {
            verb: "Edit",
            label: `Edit ${o.name}`,
            dialog: (onClose) => <OrganizationDialog organization={o} onClose={onClose} />,
          },
        ],
      }}
      create={
        isPartner
          ? { label: "New organization", dialog: (onClose) => <OrganizationDialog onClose={onClose} /> }
          : undefined
      }
      empty={{ title: view.search ? `No results for "${view.search}"` : "No organizations yet" }}
    >
      {allOrganizations && <RequireTwoFactor />}
      <div className={pagedClasses.tools}>
        <SearchField label="Search by name" value={view.search ?? ""} onSearch={onSearch} />
      </div>
    </RecordSection>
  );
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
    <Box px={{ base: 16, sm: 24 }}>
      <Switch
        label="Require two-factor sign-in for everyone"
        description="For your own staff and the users of every organization, from their next request on"
        checked={policy.data.requireTwoFactor}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ requireTwoFactor: event.currentTarget.checked })}
        mb="md"
      />
      {save.isError && <Message tone="bad">{errorText(save.error)}</Message>}
    </Box>
  );
}
