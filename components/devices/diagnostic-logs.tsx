"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { FilterSelect } from "@/components/ui/filter-select";
import { Notice } from "@/components/ui/notice";
import { PagedList } from "@/components/ui/paged-list";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import { type AgentLog, LOG_LEVELS } from "@/server/devices/logs/agent-log-schema";
import classes from "./device-page.module.css";
import { Level } from "./level";
import { LogMessage } from "./log-message";

const LEVELS: { value: AgentLog["level"]; label: string }[] = [
  { value: "error", label: "Errors" },
  { value: "warn", label: "Warnings" },
  { value: "info", label: "Info" },
  { value: "debug", label: "Debug" },
];
const LIMIT = 100;

const columns: Column<AgentLog>[] = [
  { header: "Time", cell: (l) => <When at={l.timestamp} />, width: 196 },
  { header: "Level", cell: (l) => <Level level={l.level} />, width: 104 },
  { header: "Component", cell: (l) => <code>{l.component}</code>, width: 140 },
  { header: "Message", cell: (l) => <LogMessage message={l.message} fields={l.fields} /> },
  { header: "Agent", cell: (l) => l.agentVersion ?? "", width: 90, minor: true },
];

/** The agent's diagnostic logs. */
export function DiagnosticLogs({ deviceId }: { deviceId: string }) {
  const [view, setView] = useQueryStates(
    {
      page: parseAsInteger.withDefault(1),
      search: parseAsString,
      level: parseAsStringLiteral(LOG_LEVELS),
    },
    { history: "push" },
  );
  const input = {
    id: deviceId,
    page: view.page,
    limit: LIMIT,
    search: view.search ?? undefined,
    level: view.level ?? undefined,
  };
  const query = useQuery(
    useTRPC().devices.diagnosticLogs.queryOptions(input, {
      placeholderData: keepPreviousData,
      select: (answer) => ({
        data: answer.logs,
        pagination: { page: view.page, total: answer.total, totalPages: Math.ceil(answer.total / answer.limit) },
      }),
    }),
  );
  const onSearch = useCallback((search: string) => setView({ search: search || null, page: null }), [setView]);
  const isNarrowed = Boolean(view.search || view.level);
  return (
    <>
      <div className={classes.tools}>
        <SearchField label="Search in messages" value={view.search ?? ""} onSearch={onSearch} />
        <FilterSelect
          label="Level"
          options={LEVELS}
          value={view.level}
          onChange={(level) => setView({ level, page: null })}
        />
      </div>
      <PagedList
        query={query}
        what="the diagnostic logs"
        onPage={(page) => setView({ page })}
        empty={
          <Notice title={isNarrowed ? "No matching log entries" : "No diagnostic logs yet"}>
            {isNarrowed ? null : "The agent sends them while it runs."}
          </Notice>
        }
      >
        {(rows, isStale) => (
          <RecordTable
            caption="Diagnostic logs, newest first"
            columns={columns}
            rows={rows}
            rowKey={(l) => l.id}
            isStale={isStale}
          />
        )}
      </PagedList>
    </>
  );
}
