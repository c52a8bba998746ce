"use client";

import { Button, Group, Text, UnstyledButton } from "@mantine/core";
import { RotateCw } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { useCan } from "@/components/account/org";
import { bytes, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { UNBATCHED, useTRPCClient } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { type Column, RecordTable } from "@/components/ui/record-table";
import type { Descriptor } from "@/server/devices/live/schema";
import type { DeviceDetail } from "@/server/devices/schema";
import { LiveLog } from "./live-log";
import { Answered, type Asking, isUnasked, QueryState, Unasked } from "./query-state";
import { liveParsers, recordCountText, useLiveQuery } from "./use-live-query";

type Props = Asking & { device: DeviceDetail; onOpen: (log: string) => void };

function LiveLogs({ device, onOpen, isAsked, onAsk }: Props) {
  const client = useTRPCClient();
  const live = useLiveQuery({
    key: [device.id, "logs"],
    run: (signal) => client.liveEvents.logs.query({ deviceId: device.id }, { signal, ...UNBATCHED }),
    isEnabled: isAsked,
  });
  const columns: Column<Descriptor>[] = [
    {
      header: "Log",
      cell: (l) => (
        <UnstyledButton className="tm-link" fw={600} fz="inherit" onClick={() => onOpen(l.name)}>
          {l.displayName || l.name}
        </UnstyledButton>
      ),
    },
    { header: "Name", cell: (l) => <code>{l.name}</code>, width: 240, minor: true },
    { header: "Events", cell: recordCountText, width: 140 },
    {
      header: "Maximum size",
      cell: (l) => (l.maxSize > 0 ? bytes(l.maxSize) : "Not reported"),
      width: 130,
      minor: true,
    },
    {
      header: "Retention",
      cell: (l) => (l.retentionDays > 0 ? counted(l.retentionDays, "day") : "Overwrites oldest"),
      width: 150,
      minor: true,
    },
    {
      header: "Newest event",
      cell: (l) => <When at={isTime(l.lastWriteTime) ? l.lastWriteTime : null} none="None" />,
      width: 200,
    },
  ];
  if (isUnasked(live, isAsked)) return <Unasked device={device} what="Query event logs" onAsk={onAsk} />;
  return (
    <>
      <Group align="stretch" gap="sm" px="edge" py="lg">
        <Text c="dimmed" flex="1 1 320px" style={{ alignSelf: "center" }}>
          Live from the device. Each query is recorded in the audit log. <Answered live={live} />
        </Text>
        <Button
          variant="default"
          leftSection={<RotateCw size={14} aria-hidden />}
          onClick={live.retry}
          disabled={live.isRunning}
        >
          Refresh
        </Button>
      </Group>
      <QueryState live={live} what="its logs" device={device}>
        {live.data &&
          (live.data.data.length === 0 ? (
            <Notice title="The device reports no logs" />
          ) : (
            <RecordTable
              caption={`Logs on ${device.hostname}`}
              columns={columns}
              rows={live.data.data}
              rowKey={(l) => l.name}
              isStale={live.isRunning}
            />
          ))}
      </QueryState>
    </>
  );
}

const isTime = (text: string) => text !== "" && !Number.isNaN(Date.parse(text));

/** The device's own event logs, queried live; nothing is stored. */
export function LiveEvents({ device }: { device: DeviceDetail }) {
  const mayQuery = useCan("devices:live");
  const [view, setView] = useQueryStates(liveParsers, { history: "push" });
  const [isAsked, setAsked] = useState(false);
  const asking = { isAsked, onAsk: () => setAsked(true) };
  if (!mayQuery)
    return (
      <Notice title="You don't have access to live event logs">
        You need the devices:live permission. Ask an administrator. What the device has sent is under Event logs.
      </Notice>
    );
  const open = (log: string) => {
    setAsked(true);
    void setView({ log });
  };
  if (!view.log) return <LiveLogs device={device} onOpen={open} {...asking} />;
  return <LiveLog device={device} {...asking} log={view.log} onBack={() => setView(null)} />;
}
