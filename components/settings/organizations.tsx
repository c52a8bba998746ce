"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useCallback, useState } from "react";
import { useMe } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PagedList } from "@/components/ui/paged-list";
import pagedClasses from "@/components/ui/paged-list.module.css";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { RowButton } from "@/components/ui/row-button";
import { SearchField } from "@/components/ui/search-field";
import type { Organization } from "@/server/organizations/schema";
import { RequireTwoFactor } from "./require-two-factor";

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
  const [editing, setEditing] = useState<Organization | null>(null);
  const [creating, create] = useDisclosure(false);
  const isPartner = !user.role.startsWith("org_");
  const input = { page: view.page, search: view.search ?? undefined };
  const list = useQuery(trpc.organizations.list.queryOptions(input, { placeholderData: keepPreviousData }));
  const onSearch = useCallback((search: string) => setView({ search: search || null, page: null }), [setView]);
  const columns: Column<Organization>[] = [
    { header: "Name", cell: (o) => (o.isHome ? `${o.name} (your own staff)` : o.name) },
    { header: "Short name", cell: (o) => <code>{o.slug}</code>, minor: true, width: 240 },
    { header: "Created", cell: (o) => <When at={o.createdAt} dateOnly />, width: 160 },
    {
      header: "Actions",
      width: 120,
      align: "end",
      cell: (o) => (
        <RowButton label={`Edit ${o.name}`} onClick={() => setEditing(o)}>
          Edit
        </RowButton>
      ),
    },
  ];
  return (
    <>
      <PageHeader title="Organizations" lead="Your customers. Each has its own audit chain, people and devices.">
        {isPartner && (
          <Button leftSection={<Plus size={15} aria-hidden />} onClick={create.open}>
            New organization
          </Button>
        )}
      </PageHeader>
      {allOrganizations && <RequireTwoFactor />}
      <div className={pagedClasses.tools}>
        <SearchField label="Search by name" value={view.search ?? ""} onSearch={onSearch} />
      </div>
      <PagedList
        query={list}
        what="the organizations"
        empty={<Notice title={view.search ? `No results for "${view.search}"` : "No organizations yet"} />}
        onPage={(page) => setView({ page })}
      >
        {(rows, isStale) => (
          <RecordTable caption="Organizations" columns={columns} rows={rows} rowKey={(o) => o.id} isStale={isStale} />
        )}
      </PagedList>
      {creating && <OrganizationDialog onClose={create.close} />}
      {editing && <OrganizationDialog organization={editing} onClose={() => setEditing(null)} />}
    </>
  );
}
