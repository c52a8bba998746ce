"use client";

import { Button, Pagination, UnstyledButton } from "@mantine/core";
import { ArrowLeft } from "lucide-react";
import { useQueryStates } from "nuqs";
import { Level } from "@/components/devices/level";
import { dateTime } from "@/components/format/time";
import { When } from "@/components/format/when";
import { useZone } from "@/components/format/zone";
import { UNBATCHED, useTRPCClient } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import pagedClasses from "@/components/ui/paged-list.module.css";
import { type Column, RecordTable } from "@/components/ui/record-table";
import type { Entry } from "@/server/devices/live/schema";
import type { DeviceDetail } from "@/server/devices/schema";
import { Answered } from "./answered";
import classes from "./live.module.css";
import { LiveFilterForm } from "./live-filters";
import { isSame, liveParsers, toInput } from "./live-params";
import { QueryState } from "./query-state";
import { RecordDrawer } from "./record-drawer";
import { isPart, searchedText, totalText } from "./searched";
import { useLiveQuery } from "./use-live-query";

const LIMIT = 50;

const columnsOf = (open: (recordId: number) => void): Column<Entry>[] => [
  {
    header: "Time",
    width: 196,
    cell: (e) => (
      <UnstyledButton className={classes.open} onClick={() => open(e.recordId)}>
        <When at={e.timeCreated} />
      </UnstyledButton>
    ),
  },
  { header: "Level", cell: (e) => <Level level={e.level} />, width: 124 },
  { header: "Source", cell: (e) => e.source, width: 190 },
  { header: "Event", cell: (e) => <code>{e.eventId}</code>, width: 90, minor: true },
  { header: "Message", cell: (e) => <span className={classes.message}>{e.message}</span> },
];

type Props = { device: DeviceDetail; log: string; onBack: () => void };

/** The events of one log on the device, newest first. */
export function LiveLog({ device, log, onBack }: Props) {
  const client = useTRPCClient();
  const [view, setView] = useQueryStates(liveParsers, { history: "push" });
  const input = { deviceId: device.id, name: log, limit: LIMIT, ...toInput(view) };
  const live = useLiveQuery({
    key: [input],
    run: (signal) => client.liveEvents.events.query(input, { signal, ...UNBATCHED }),
  });
  const { data } = live;
  const { zone } = useZone();
  const searched = data?.meta.searched;
  const part = { log, searched, hasEnd: view.end !== null, at: (iso: string) => dateTime(iso, zone) };
  return (
    <>
      <div className={classes.head}>
        <Button variant="default" size="xs" leftSection={<ArrowLeft size={14} aria-hidden />} onClick={onBack}>
          All logs
        </Button>
        <strong>{log}</strong>
        {data && <span>{totalText(data.meta.total, part)}</span>}
        <Answered live={live} />
      </div>
      <LiveFilterForm
        filters={view}
        isRunning={live.isRunning}
        onSubmit={(filters) => {
          if (view.livePage === 1 && isSame(filters, view)) live.retry();
          else void setView({ ...filters, livePage: null, record: null });
        }}
      />
      <QueryState live={live} what={`the events of ${log}`} hostname={device.hostname} lastSeenAt={device.lastSeenAt}>
        {data && data.data.length === 0 && (
          <Notice title="No matching events">
            {`${device.hostname} found none in ${searchedText(part)}.`}
            {isPart(searched) && " The rest of the log was not searched."}
          </Notice>
        )}
        {data && data.data.length > 0 && (
          <RecordTable
            caption={`Events in ${log} on ${device.hostname}, newest first`}
            columns={columnsOf((record) => setView({ record }))}
            rows={data.data}
            rowKey={(e) => String(e.recordId)}
            isStale={live.isRunning}
          />
        )}
        {data && data.meta.totalPages > 1 && (
          <nav className={pagedClasses.pages} aria-label="Pages of this list">
            <span>{totalText(data.meta.total, part)}</span>
            <Pagination
              size="sm"
              total={data.meta.totalPages}
              value={view.livePage}
              onChange={(livePage) => setView({ livePage })}
            />
          </nav>
        )}
      </QueryState>
      <RecordDrawer
        device={device}
        log={log}
        recordId={view.record}
        known={data?.data.find((e) => e.recordId === view.record)}
        onClose={() => setView({ record: null })}
      />
    </>
  );
}
