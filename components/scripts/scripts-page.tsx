"use client";

import { Drawer, Stack, Text, UnstyledButton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { CodeBlock } from "@/components/ui/code/code-block";
import { Facts } from "@/components/ui/facts";
import { FilterSelect } from "@/components/ui/filter-select";
import { NoMatch } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { ListTools, RecordList } from "@/components/ui/paged-list";
import type { Column } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import { type LibraryScript, SCRIPT_CATEGORIES, SCRIPT_OS, type ScriptOs } from "@/server/devices/scripts/schema";
import { capitalized } from "@/server/ground/text";
import classes from "./scripts.module.css";

/** One script: description, parameters and source. */
function ScriptDetail({ script }: { script: LibraryScript }) {
  const facts: [string, React.ReactNode][] = [
    ["System", osLabel(script.osTypes)],
    ["Category", capitalized(script.category)],
    ["Language", LANGUAGE_LABEL[script.language]],
    ["Runs as", RUN_AS_LABEL[script.runAs]],
    ["Times out after", `${script.timeoutSeconds} s`],
    ["Version", script.version],
    ["Changed", <When key="at" at={script.updatedAt} dateOnly />],
  ];
  return (
    <Stack gap={20}>
      <Text>{script.description}</Text>
      <Facts className={classes.facts} facts={facts} />
      {script.parameters.length > 0 && (
        <section aria-label="Parameters">
          <Text fw={600}>Parameters</Text>
          <ul className={classes.parameters}>
            {script.parameters.map((p) => (
              <li key={p.name}>
                <div>
                  <code>{p.name}</code>
                  <span>
                    {p.type}
                    {p.required ? ", required" : p.default === null ? "" : `, default ${String(p.default)}`}
                  </span>
                </div>
                {p.description}
              </li>
            ))}
          </ul>
        </section>
      )}
      <CodeBlock code={script.content} label={`Text of ${script.name}`} tall />
    </Stack>
  );
}

const OS_LABEL: Record<ScriptOs, string> = { windows: "Windows", macos: "macOS", linux: "Linux" };
const LANGUAGE_LABEL: Record<LibraryScript["language"], string> = { powershell: "PowerShell", bash: "Bash" };
const RUN_AS_LABEL: Record<LibraryScript["runAs"], string> = {
  system: "the system",
  user: "the signed-in user",
};
const osLabel = (osTypes: readonly ScriptOs[]): string => osTypes.map((os) => OS_LABEL[os]).join(", ");

const CATEGORIES = SCRIPT_CATEGORIES.map((value) => ({ value, label: capitalized(value) }));
const SYSTEMS = SCRIPT_OS.map((value) => ({ value, label: OS_LABEL[value] }));

const columnsOf = (open: (id: string) => void): Column<LibraryScript>[] => [
  {
    header: "Script",
    cell: (s) => (
      <div style={{ paddingBlock: 4 }}>
        <UnstyledButton className="tm-link" fw={600} onClick={() => open(s.id)}>
          {s.name}
        </UnstyledButton>
        <Text size="sm" c="dimmed" fw={400}>
          {s.description}
        </Text>
      </div>
    ),
  },
  { header: "System", cell: (s) => osLabel(s.osTypes), width: 150 },
  { header: "Category", cell: (s) => capitalized(s.category), width: 140 },
  { header: "Language", cell: (s) => LANGUAGE_LABEL[s.language], width: 120, minor: true },
  { header: "Version", cell: (s) => <code>{s.version}</code>, width: 100, minor: true },
];

/** The system script library: search, read and copy. */
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
  return (
    <>
      <PageHeader title="Scripts" lead="The system library. Read-only, and the same for every organization." />
      <ListTools>
        <SearchField label="Search names and scripts" value={view.search ?? ""} onSearch={onSearch} />
        <FilterSelect
          label="Category"
          options={CATEGORIES}
          value={view.category}
          onChange={(category) => setView({ category })}
          width={170}
        />
        <FilterSelect label="System" options={SYSTEMS} value={view.os} onChange={(os) => setView({ os })} />
      </ListTools>
      <RecordList
        query={list}
        what="the scripts"
        onPage={() => undefined}
        empty={<NoMatch search={view.search} onClear={() => setView({ search: null, category: null, os: null })} />}
        caption="System scripts"
        columns={columnsOf((script) => setView({ script }))}
      />
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
