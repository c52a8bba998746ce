"use client";

import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral } from "nuqs";
import { type ReactNode, useCallback } from "react";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { FilterSelect } from "@/components/ui/filter-select";
import { Notice } from "@/components/ui/notice";
import { ListTools, type Paged, RecordList } from "@/components/ui/paged-list";
import type { Column } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import { useListView } from "@/components/ui/use-list-view";
import { type AgentLog, LOG_LEVELS } from "@/server/devices/logs/agent-log-schema";
import { EVENT_CATEGORIES, EVENT_LEVELS, type EventLog } from "@/server/devices/logs/event-log-schema";
import { capitalized } from "@/server/ground/text";
import { Level, LogMessage } from "./cells";

const LEVELS: { value: AgentLog["level"]; label: string }[] = [
  { value: "error", label: "Errors" },
  { value: "warn", label: "Warnings" },
  { value: "info", label: "Info" },
  { value: "debug", label: "Debug" },
];
const LIMIT = 100;

const diagnosticColumns: Column<AgentLog>[] = [
  { header: "Time", cell: (l) => <When at={l.timestamp} />, width: 196 },
  { header: "Level", cell: (l) => <Level level={l.level} />, width: 104 },
  { header: "Component", cell: (l) => <code>{l.component}</code>, width: 140 },
  { header: "Message", cell: (l) => <LogMessage message={l.message} fields={l.fields} /> },
  { header: "Agent", cell: (l) => l.agentVersion ?? "", width: 90, minor: true },
];

type LogListProps<T extends { id: string }> = {
  query: UseQueryResult<Paged<T>, unknown>;
  title: string;
  /** Title of a search without results; null if everything is shown. */
  noMatch: string | null;
  columns: Column<T>[];
  onPage: (page: number) => void;
  children: ReactNode;
};

/** Logs of a device below their filters, newest first. */
function LogList<T extends { id: string }>({ query, title, noMatch, columns, onPage, children }: LogListProps<T>) {
  const what = title.toLowerCase();
  return (
    <>
      <ListTools pt="lg">{children}</ListTools>
      <RecordList
        query={query}
        what={`the ${what}`}
        onPage={onPage}
        empty={<Notice title={noMatch ?? `No ${what} yet`}>{!noMatch && "The agent sends them while it runs."}</Notice>}
        caption={`${title}, newest first`}
        columns={columns}
      />
    </>
  );
}

export function DiagnosticLogs({ deviceId }: { deviceId: string }) {
  const { view, setView, onSearch } = useListView({ level: parseAsStringLiteral(LOG_LEVELS) });
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
  return (
    <LogList
      query={query}
      title="Diagnostic logs"
      noMatch={view.search || view.level ? "No matching log entries" : null}
      columns={diagnosticColumns}
      onPage={(page) => setView({ page })}
    >
      <SearchField label="Search in messages" value={view.search ?? ""} onSearch={onSearch} />
      <FilterSelect
        label="Level"
        options={LEVELS}
        value={view.level}
        onChange={(level) => setView({ level, page: null })}
      />
    </LogList>
  );
}

const options = <Value extends string>(values: readonly Value[]) =>
  values.map((value) => ({ value, label: capitalized(value) }));

const eventColumns: Column<EventLog>[] = [
  { header: "Time", cell: (e) => <When at={e.timestamp} />, width: 196 },
  { header: "Level", cell: (e) => <Level level={e.level} />, width: 104 },
  { header: "Category", cell: (e) => capitalized(e.category), width: 110 },
  { header: "Source", cell: (e) => e.source, width: 180 },
  { header: "Event ID", cell: (e) => <EventNumber of={e} />, width: 90, minor: true },
  { header: "Message", cell: (e) => <LogMessage message={e.message} fields={e.details} /> },
];

/** The operating system's number for this type of event; `eventId` itself identifies one event. */
function EventNumber({ of: { details } }: { of: EventLog }) {
  return typeof details?.eventId === "number" ? <code>{details.eventId}</code> : null;
}

export function EventLogs({ deviceId }: { deviceId: string }) {
  const { view, setView, onSearch } = useListView({
    level: parseAsStringLiteral(EVENT_LEVELS),
    category: parseAsStringLiteral(EVENT_CATEGORIES),
    source: parseAsString,
  });
  const input = {
    id: deviceId,
    page: view.page,
    level: view.level ?? undefined,
    category: view.category ?? undefined,
    search: view.search ?? undefined,
    source: view.source ?? undefined,
  };
  const query = useQuery(useTRPC().devices.eventLogs.queryOptions(input, { placeholderData: keepPreviousData }));
  const onSource = useCallback((source: string) => setView({ source: source || null, page: null }), [setView]);
  return (
    <LogList
      query={query}
      title="Event logs"
      noMatch={view.level || view.category || view.search || view.source ? "No matching events" : null}
      columns={eventColumns}
      onPage={(page) => setView({ page })}
    >
      <SearchField label="Search in messages" value={view.search ?? ""} onSearch={onSearch} />
      <SearchField label="Source, as it is written" value={view.source ?? ""} onSearch={onSource} />
      <FilterSelect
        label="Level"
        options={options(EVENT_LEVELS)}
        value={view.level}
        onChange={(level) => setView({ level, page: null })}
      />
      <FilterSelect
        label="Category"
        options={options(EVENT_CATEGORIES)}
        value={view.category}
        onChange={(category) => setView({ category, page: null })}
        width={170}
      />
    </LogList>
  );
}
