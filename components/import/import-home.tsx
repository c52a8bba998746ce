"use client";

import { Radio, Stack } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { errorText, Message, Notice } from "@/components/ui/notice";
import { PageHeader, Section } from "@/components/ui/page-header";
import { PagedList } from "@/components/ui/paged-list";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import { DRAFT_DAYS, type ImportEntry } from "@/server/custom-fields/import/schema";
import { Discard } from "./discard";
import classes from "./import.module.css";
import { DropArea } from "./source/drop-area";
import { queueFiles } from "./source/uploads";

const STATE: Record<ImportEntry["status"], [Tone, string]> = {
  draft: ["off", "Started"],
  staged: ["off", "Mapped"],
  checked: ["off", "Checked"],
  running: ["warn", "Running"],
  done: ["good", "Done"],
  cancelled: ["bad", "Cancelled"],
  undone: ["off", "Undone"],
};
const addressOf = (id: string) => `/settings/custom-fields/import?import=${id}`;

/** Starts an import, and lists the earlier ones. */
export function ImportHome() {
  return (
    <>
      <PageHeader
        title="Import custom fields"
        lead="Import custom field definitions and values from another product. Nothing is written until you have seen a check of every row."
      />
      <NewImport />
      <PastImports />
    </>
  );
}

function NewImport() {
  const trpc = useTRPC();
  const router = useRouter();
  const cache = useQueryClient();
  const { sources } = useSuspenseQuery(trpc.imports.sources.queryOptions()).data;
  const [source, setSource] = useState(sources[0]?.id ?? "");
  const create = useMutation(trpc.imports.create.mutationOptions());
  const start = async (files: File[]) => {
    if (files.length === 0) return;
    const created = await create.mutateAsync({ source });
    queueFiles(created.id, files);
    await cache.invalidateQueries(trpc.imports.list.pathFilter());
    router.push(`${addressOf(created.id)}&step=source`);
  };
  return (
    <Section title="New import">
      <div className={classes.form}>
        <Radio.Group label="Where the fields come from" value={source} onChange={setSource}>
          <Stack gap="sm" mt="xs">
            {sources.map(({ id, label, hint }) => (
              <Radio key={id} value={id} label={label} description={hint} />
            ))}
          </Stack>
        </Radio.Group>
        <p className={classes.quiet}>
          Only computer-scope fields are imported, as fields of All organizations. Location-scope and client-scope
          fields are not imported. They are listed and offered as a CSV, so that you can create them by hand as fields
          of an organization.
        </p>
        {create.error && <Message tone="bad">{errorText(create.error)}</Message>}
      </div>
      <DropArea onFiles={(files) => void start(files).catch(() => {})} isBusy={create.isPending} isFull={false} />
    </Section>
  );
}

function PastImports() {
  const trpc = useTRPC();
  const { sources } = useSuspenseQuery(trpc.imports.sources.queryOptions()).data;
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(1));
  const query = useQuery(trpc.imports.list.queryOptions({ page }, { placeholderData: keepPreviousData }));
  const nameOf = (state: ImportEntry) => state.fileNames.join(", ") || "No file yet";
  const columns: Column<ImportEntry>[] = [
    {
      header: "Import",
      cell: (state) => (
        <Link href={addressOf(state.id)} className="tm-link">
          {nameOf(state)}
        </Link>
      ),
    },
    { header: "From", cell: (state) => sources.find((s) => s.id === state.source)?.label ?? state.source, width: 200 },
    {
      header: "Rows",
      // Rows are known only after the file is read.
      cell: (state) => (state.status === "draft" ? "Not read" : count(state.totalRows)),
      width: 90,
    },
    { header: "By", cell: (state) => state.createdByName, width: 150, minor: true },
    { header: "Started", cell: (state) => <When at={state.createdAt} />, width: 180 },
    {
      header: "State",
      cell: (state) => <StateTag tone={STATE[state.status][0]}>{STATE[state.status][1]}</StateTag>,
      width: 120,
    },
    {
      header: "Deleted",
      cell: (state) => (state.expiresAt ? <When at={state.expiresAt} dateOnly /> : "Kept"),
      width: 110,
    },
    {
      header: "Actions",
      cell: (state) => state.expiresAt && <Discard id={state.id} name={nameOf(state)} />,
      width: 110,
      align: "end",
    },
  ];
  return (
    <Section
      title="Past imports"
      lead={`An import that is not run is deleted with its files ${DRAFT_DAYS} days after its last change.`}
      flush
    >
      <PagedList
        query={query}
        what="the imports"
        empty={<Notice title="No imports yet" />}
        onPage={(next) => void setPage(next)}
      >
        {(rows, isStale) => (
          <RecordTable
            caption="Past imports"
            columns={columns}
            rows={rows}
            rowKey={(state) => state.id}
            isStale={isStale}
          />
        )}
      </PagedList>
    </Section>
  );
}
