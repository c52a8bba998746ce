"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { useMe } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import pagedClasses from "@/components/ui/paged-list.module.css";
import { RecordSection } from "@/components/ui/record-section";
import { SearchField } from "@/components/ui/search-field";

const OrganizationDialog = dynamic(() => import("./organization-dialog").then((m) => m.OrganizationDialog), {
  ssr: false,
});

/** The organizations that the user can see; partner users create and rename them. */
export function Organizations() {
  const trpc = useTRPC();
  const { user } = useMe();
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
      <div className={pagedClasses.tools}>
        <SearchField label="Search by name" value={view.search ?? ""} onSearch={onSearch} />
      </div>
    </RecordSection>
  );
}
