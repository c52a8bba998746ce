"use client";

import { Button, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useCallback, useState } from "react";
import { When } from "@/components/format/when";
import { useMe } from "@/components/frame/org";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { formErrors } from "@/components/ui/dialogs/form-errors";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PagedList } from "@/components/ui/paged-list";
import pagedClasses from "@/components/ui/paged-list.module.css";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import type { Organization } from "@/server/organizations/schema";

/** The organizations within reach; a partner's people make and rename them. */
export function Organizations() {
  const trpc = useTRPC();
  const { user } = useMe();
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
    { header: "Made", cell: (o) => <When at={o.createdAt} dateOnly />, width: 160 },
    {
      header: "Change",
      width: 120,
      align: "end",
      cell: (o) => (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          onClick={() => setEditing(o)}
          aria-label={`Rename ${o.name}`}
        >
          Rename
        </Button>
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
      <div className={pagedClasses.tools}>
        <SearchField label="Search by name" value={view.search ?? ""} onSearch={onSearch} />
      </div>
      <PagedList
        query={list}
        what="the organizations"
        empty={<Notice title={view.search ? "No organization has that in its name" : "No organizations yet"} />}
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

function OrganizationDialog({ organization, onClose }: { organization?: Organization; onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const done = {
    onSuccess: async () => {
      onClose();
      await Promise.all([
        cache.invalidateQueries(trpc.organizations.pathFilter()),
        cache.invalidateQueries(trpc.me.pathFilter()),
      ]);
    },
  };
  const create = useMutation(trpc.organizations.create.mutationOptions(done));
  const update = useMutation(trpc.organizations.update.mutationOptions(done));
  const errors = formErrors(create.error ?? update.error, ["name"]);
  const save = (form: FormData) => {
    const name = String(form.get("name"));
    if (organization) update.mutate({ id: organization.id, name });
    else create.mutate({ name });
  };
  return (
    <FormDialog
      opened
      title={organization ? "Rename organization" : "New organization"}
      submit={organization ? "Rename" : "Make organization"}
      isBusy={create.isPending || update.isPending}
      error={errors.general}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        defaultValue={organization?.name}
        required
        withAsterisk={false}
        maxLength={255}
        error={errors.of("name")}
        data-autofocus
      />
    </FormDialog>
  );
}
