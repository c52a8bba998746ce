"use client";

import { Box, Button, Drawer, Group, NumberInput, Select, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { ArrowLeft } from "lucide-react";
import { useQueryStates } from "nuqs";
import { type FormEvent, type ReactNode, useState } from "react";
import { Level } from "@/components/devices/cells";
import { dateTime } from "@/components/format/time";
import { When } from "@/components/format/when";
import { useZone } from "@/components/format/zone";
import { RangeFields } from "@/components/integrity/range-fields";
import { UNBATCHED, useTRPCClient } from "@/components/trpc";
import { CodeBlock } from "@/components/ui/code/code-block";
import { Facts } from "@/components/ui/facts";
import { Notice } from "@/components/ui/notice";
import { Pages } from "@/components/ui/paged-list";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { type Entry, LIVE_LEVELS } from "@/server/devices/live/schema";
import type { DeviceDetail } from "@/server/devices/schema";
import { capitalized, MAX_FILTER_LENGTH } from "@/server/ground/text";
import classes from "./live.module.css";
import { Answered, type Asking, isUnasked, QueryState, Unasked } from "./query-state";
import {
  isPart,
  isSame,
  type LiveFilters,
  liveParsers,
  searchedText,
  toInput,
  totalText,
  useLiveQuery,
} from "./use-live-query";

const LEVELS = LIVE_LEVELS.map((value) => ({ value, label: capitalized(value) }));

type LiveFilterFormProps = { filters: LiveFilters; onSubmit: (filters: LiveFilters) => void; isRunning: boolean };

/** Filters of a live query. The device is queried on submit, not on every key press. */
function LiveFilterForm({ filters, onSubmit, isRunning }: LiveFilterFormProps) {
  const [shown, setShown] = useState(filters);
  const [draft, setDraft] = useState(filters);
  // The address has other filters than the draft started with: submitted, or navigated back.
  if (!isSame(shown, filters)) {
    setShown(filters);
    setDraft(filters);
  }
  const set = (part: Partial<LiveFilters>) => setDraft({ ...draft, ...part });
  const isBackward = Boolean(draft.start && draft.end && draft.start > draft.end);
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(draft);
  };
  return (
    <Box component="form" className="tm-fields" px="edge" py={12} onSubmit={send} aria-label="Filters">
      <Select
        label="Level"
        placeholder="Any level"
        data={LEVELS}
        value={draft.liveLevel}
        onChange={(liveLevel) => set({ liveLevel })}
        clearable
        clearButtonProps={{ "aria-label": "Any level" }}
        w={150}
      />
      <TextInput
        label="Source"
        value={draft.liveSource ?? ""}
        onChange={(event) => set({ liveSource: event.currentTarget.value || null })}
        maxLength={MAX_FILTER_LENGTH}
        w={170}
      />
      <NumberInput
        label="Event ID"
        value={draft.liveEvent ?? ""}
        onChange={(value) => set({ liveEvent: typeof value === "number" ? value : null })}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        w={110}
      />
      <RangeFields
        range={{ from: draft.start, to: draft.end }}
        onRange={({ from, to }) => set({ start: from, end: to })}
        error={isBackward ? "After the end" : null}
      />
      <Button type="submit" disabled={isRunning || isBackward}>
        Search
      </Button>
    </Box>
  );
}

type RecordDrawerProps = Asking & {
  device: DeviceDetail;
  log: string;
  recordId: number | null;
  /** The event, if the list contains it; otherwise it is queried from the device. */
  known: Entry | undefined;
  onClose: () => void;
};

/** One event in full, with its raw XML. */
function RecordDrawer({ device, log, recordId, known, onClose, isAsked, onAsk }: RecordDrawerProps) {
  const client = useTRPCClient();
  const live = useLiveQuery({
    key: [device.id, log, "record", recordId],
    run: (signal) =>
      client.liveEvents.event.query(
        { deviceId: device.id, name: log, recordId: recordId ?? 0 },
        { signal, ...UNBATCHED },
      ),
    isEnabled: isAsked && recordId !== null && !known,
  });
  const answer = live.data?.data;
  // The previous answer stays while loading, but is about another record.
  const entry = known ?? (answer?.recordId === recordId ? answer : undefined);
  return (
    <Drawer
      opened={recordId !== null}
      onClose={onClose}
      position="right"
      size={620}
      title={recordId === null ? "" : `Record ${recordId}`}
    >
      {entry && <RecordDetail entry={entry} />}
      {!entry && isUnasked(live, isAsked) && (
        <Unasked device={device} what={`Query record ${recordId}`} onAsk={onAsk} />
      )}
      {!entry && !isUnasked(live, isAsked) && (
        <QueryState live={live} what={`record ${recordId}`} device={device}>
          {null}
        </QueryState>
      )}
    </Drawer>
  );
}

function RecordDetail({ entry }: { entry: Entry }) {
  const facts: [string, ReactNode][] = [
    ["Time", <When key="time" at={entry.timeCreated} />],
    ["Level", <Level key="level" level={entry.level} />],
    ["Source", entry.source],
    ["Event ID", <code key="id">{entry.eventId}</code>],
    ["Category", entry.category || "None"],
    ["User", entry.user ?? "None"],
    ["Computer", entry.computer],
  ];
  return (
    <Stack gap="lg">
      <p className={classes.message}>{entry.message}</p>
      <Facts facts={facts} />
      <Text fw={600}>Raw XML</Text>
      {entry.rawXml ? (
        <CodeBlock code={entry.rawXml} label="Raw XML of the record" />
      ) : (
        <Text size="sm" c="dimmed">
          The device has no XML for this record.
        </Text>
      )}
    </Stack>
  );
}

const LIMIT = 50;

const columnsOf = (open: (recordId: number) => void): Column<Entry>[] => [
  {
    header: "Time",
    width: 196,
    cell: (e) => (
      <UnstyledButton className="tm-link" fw={600} fz="inherit" onClick={() => open(e.recordId)}>
        <When at={e.timeCreated} />
      </UnstyledButton>
    ),
  },
  { header: "Level", cell: (e) => <Level level={e.level} />, width: 124 },
  { header: "Source", cell: (e) => e.source, width: 190 },
  { header: "Event", cell: (e) => <code>{e.eventId}</code>, width: 90, minor: true },
  { header: "Message", cell: (e) => <span className={classes.message}>{e.message}</span> },
];

type Props = Asking & { device: DeviceDetail; log: string; onBack: () => void };

/** The events of one log on the device, newest first. */
export function LiveLog({ device, log, onBack, isAsked, onAsk }: Props) {
  const client = useTRPCClient();
  const [view, setView] = useQueryStates(liveParsers, { history: "push" });
  const input = { deviceId: device.id, name: log, limit: LIMIT, ...toInput(view) };
  const live = useLiveQuery({
    key: [input],
    run: (signal) => client.liveEvents.events.query(input, { signal, ...UNBATCHED }),
    isEnabled: isAsked,
  });
  const { data } = live;
  const { zone } = useZone();
  const searched = data?.meta.searched;
  const part = { log, searched, hasEnd: view.end !== null, at: (iso: string) => dateTime(iso, zone) };
  return (
    <>
      <Group gap="md" px="edge" pt="lg">
        <Button variant="default" size="xs" leftSection={<ArrowLeft size={14} aria-hidden />} onClick={onBack}>
          All logs
        </Button>
        <strong>{log}</strong>
        <span className="tm-quiet">
          {data && totalText(data.meta.total, part)} <Answered live={live} />
        </span>
      </Group>
      <LiveFilterForm
        filters={view}
        isRunning={live.isRunning}
        onSubmit={(filters) => {
          onAsk();
          if (view.livePage === 1 && isSame(filters, view)) live.retry();
          else void setView({ ...filters, livePage: null, record: null });
        }}
      />
      {isUnasked(live, isAsked) && view.record === null && (
        <Unasked device={device} what={`Query ${log}`} onAsk={onAsk} />
      )}
      <QueryState live={live} what={`the events of ${log}`} device={device}>
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
          <Pages
            text={totalText(data.meta.total, part)}
            total={data.meta.totalPages}
            value={view.livePage}
            onPage={(livePage) => setView({ livePage })}
          />
        )}
      </QueryState>
      <RecordDrawer
        device={device}
        log={log}
        recordId={view.record}
        {...{ isAsked, onAsk }}
        known={data?.data.find((e) => e.recordId === view.record)}
        onClose={() => setView({ record: null })}
      />
    </>
  );
}
