"use client";

import { Radio } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText, Failure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { Section } from "@/components/ui/section";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import type { ImportEntry } from "@/server/custom-fields/import/schema";
import classes from "./import.module.css";
import { DropArea } from "./source/drop-area";
import { handOver } from "./source/handed-over";

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
  const list = useQuery(useTRPC().imports.list.queryOptions());
  return (
    <>
      <PageHeader
        title="Import custom fields"
        lead="Bring custom field definitions and values over from another product. Nothing is written until you have seen a check of every row."
      />
      {list.isError ? (
        <Failure error={list.error} onRetry={() => void list.refetch()} what="imports" />
      ) : (
        <>
          <NewImport />
          <PastImports imports={list.data ?? []} />
        </>
      )}
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
    handOver(created.id, files);
    await cache.invalidateQueries(trpc.imports.list.pathFilter());
    router.push(`${addressOf(created.id)}&step=source`);
  };
  return (
    <Section title="New import">
      <div className={classes.form}>
        <Radio.Group label="Where the fields come from" value={source} onChange={setSource}>
          <div className={classes.choices}>
            {sources.map(({ id, label, hint }) => (
              <Radio key={id} value={id} label={label} description={hint} />
            ))}
          </div>
        </Radio.Group>
        <p className={classes.quiet}>
          Only computer-scope fields are imported, as fields of All organizations. Location-scope and client-scope
          fields are listed, kept out and offered as a CSV, to be created by hand as fields of an organization.
        </p>
        {create.error && <Message tone="bad">{errorText(create.error)}</Message>}
      </div>
      <DropArea onFiles={(files) => void start(files).catch(() => {})} isBusy={create.isPending} isFull={false} />
    </Section>
  );
}

function PastImports({ imports }: { imports: ImportEntry[] }) {
  const trpc = useTRPC();
  const { sources } = useSuspenseQuery(trpc.imports.sources.queryOptions()).data;
  if (imports.length === 0) return null;
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
    { header: "From", cell: (state) => sources.find((s) => s.id === state.source)?.label ?? state.source, width: 220 },
    { header: "Rows", cell: (state) => count(state.totalRows), width: 100 },
    { header: "By", cell: (state) => state.createdByName, width: 170, minor: true },
    { header: "Started", cell: (state) => <When at={state.createdAt} />, width: 190 },
    {
      header: "State",
      cell: (state) => <StateTag tone={STATE[state.status][0]}>{STATE[state.status][1]}</StateTag>,
      width: 130,
    },
  ];
  return (
    <Section title="Past imports" flush>
      <RecordTable caption="Past imports" columns={columns} rows={imports} rowKey={(state) => state.id} />
    </Section>
  );
}
