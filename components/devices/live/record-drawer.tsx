"use client";

import { Drawer, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Level } from "@/components/devices/level";
import { When } from "@/components/format/when";
import { UNBATCHED, useTRPCClient } from "@/components/trpc";
import { CodeBlock } from "@/components/ui/code/code-block";
import { Facts } from "@/components/ui/facts";
import type { Entry } from "@/server/devices/live/schema";
import type { DeviceDetail } from "@/server/devices/schema";
import classes from "./live.module.css";
import { QueryState } from "./query-state";
import { useLiveQuery } from "./use-live-query";

type Props = {
  device: DeviceDetail;
  log: string;
  recordId: number | null;
  /** The event, if the list contains it; otherwise it is queried from the device. */
  known: Entry | undefined;
  onClose: () => void;
};

/** One event in full, with its raw XML. */
export function RecordDrawer({ device, log, recordId, known, onClose }: Props) {
  const client = useTRPCClient();
  const live = useLiveQuery({
    key: [device.id, log, "record", recordId],
    run: (signal) =>
      client.liveEvents.event.query(
        { deviceId: device.id, name: log, recordId: recordId ?? 0 },
        { signal, ...UNBATCHED },
      ),
    isEnabled: recordId !== null && !known,
  });
  const answer = live.data?.data;
  // The answer before stays until the next one comes: it is about another record.
  const entry = known ?? (answer?.recordId === recordId ? answer : undefined);
  return (
    <Drawer
      opened={recordId !== null}
      onClose={onClose}
      position="right"
      size={620}
      title={recordId === null ? "" : `Record ${recordId}`}
    >
      {entry ? (
        <RecordDetail entry={entry} />
      ) : (
        <QueryState live={live} what={`record ${recordId}`} hostname={device.hostname} lastSeenAt={device.lastSeenAt}>
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
    <div className={classes.record}>
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
    </div>
  );
}
