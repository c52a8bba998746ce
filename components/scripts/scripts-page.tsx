"use client";

import { Button, Drawer, Select, UnstyledButton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { FileCode2 } from "lucide-react";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { useTRPC } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PagedList } from "@/components/ui/paged-list";
import pagedClasses from "@/components/ui/paged-list.module.css";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import { type LibraryScript, SCRIPT_CATEGORIES, SCRIPT_OS } from "@/server/scripts/schema";
import { categoryLabel, LANGUAGE_LABEL, OS_LABEL, osLabel } from "./labels";
import { ScriptDetail } from "./script-detail";
import classes from "./scripts.module.css";

const CATEGORIES = SCRIPT_CATEGORIES.map((value) => ({ value, label: categoryLabel(value) }));
const SYSTEMS = SCRIPT_OS.map((value) => ({ value, label: OS_LABEL[value] }));

/** The system script library: to search, read and copy. */
export function ScriptsPage() {
  const [view, setView] = useQueryStates({
    search: parseAsString,
    category: parseAsStringLiteral(SCRIPT_CATEGORIES),
    os: parseAsStringLiteral(SCRIPT_OS),
    script: parseAsString.withOptions({ history: "push" }),
  });
  const input = {
    search: view.search ?? undefined,
    category: view.category ?? undefined,
    os: view.os ?? undefined,
  };
  const list = useQuery(
    useTRPC().scripts.systemLibrary.queryOptions(input, {
      placeholderData: keepPreviousData,
      select: ({ data }) => ({ data, pagination: { page: 1, totalPages: 1, total: data.length } }),
    }),
  );
  const onSearch = useCallback((search: string) => setView({ search: search || null }), [setView]);
  const open = list.data?.data.find((s) => s.id === view.script);
  const columns: Column<LibraryScript>[] = [
    {
      header: "Script",
      cell: (s) => (
        <span className={classes.name}>
          <UnstyledButton className={classes.open} onClick={() => setView({ script: s.id })}>
            {s.name}
          </UnstyledButton>
          <span>{s.description}</span>
        </span>
      ),
    },
    { header: "System", cell: (s) => osLabel(s.osTypes), width: 150 },
    { header: "Category", cell: (s) => categoryLabel(s.category), width: 140 },
    { header: "Language", cell: (s) => LANGUAGE_LABEL[s.language], width: 120, minor: true },
    { header: "Version", cell: (s) => <code>{s.version}</code>, width: 100, minor: true },
  ];
  return (
    <>
      <PageHeader title="Scripts" lead="The system library: the same for every organization, read-only." />
      <div className={pagedClasses.tools}>
        <SearchField label="Search in names and texts" value={view.search ?? ""} onSearch={onSearch} />
        <Select
          aria-label="Category"
          placeholder="Any category"
          data={CATEGORIES}
          value={view.category}
          onChange={(category) => setView({ category: category as (typeof SCRIPT_CATEGORIES)[number] | null })}
          clearable
          clearButtonProps={{ "aria-label": "Any category" }}
          w={170}
        />
        <Select
          aria-label="System"
          placeholder="Any system"
          data={SYSTEMS}
          value={view.os}
          onChange={(os) => setView({ os: os as (typeof SCRIPT_OS)[number] | null })}
          clearable
          clearButtonProps={{ "aria-label": "Any system" }}
          w={150}
        />
      </div>
      <PagedList
        query={list}
        what="the scripts"
        onPage={() => undefined}
        empty={
          <Notice
            icon={FileCode2}
            title="No script matches"
            action={
              <Button variant="default" onClick={() => setView({ search: null, category: null, os: null })}>
                Clear the search
              </Button>
            }
          />
        }
      >
        {(rows, isStale) => (
          <RecordTable caption="System scripts" columns={columns} rows={rows} rowKey={(s) => s.id} isStale={isStale} />
        )}
      </PagedList>
      <Drawer
        opened={Boolean(open)}
        onClose={() => setView({ script: null })}
        position="right"
        size={680}
        title={open?.name}
      >
        {open && <ScriptDetail script={open} />}
      </Drawer>
    </>
  );
}
