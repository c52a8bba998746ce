"use client";

import { useQueryStates } from "nuqs";
import { useCan } from "@/components/account/org";
import { Notice } from "@/components/ui/notice";
import type { DeviceDetail } from "@/server/devices/schema";
import { LiveLog } from "./live-log";
import { LiveLogs } from "./live-logs";
import { liveParsers } from "./live-params";

/** The device's own event logs, queried live; nothing is stored. */
export function LiveEvents({ device }: { device: DeviceDetail }) {
  const mayQuery = useCan("devices:live");
  const [view, setView] = useQueryStates(liveParsers, { history: "push" });
  if (!mayQuery)
    return (
      <Notice title="You don't have access to live event logs">
        You need the devices:live permission. Ask an administrator. What the device has sent is under Event logs.
      </Notice>
    );
  if (!view.log) return <LiveLogs device={device} onOpen={(log) => setView({ log })} />;
  return (
    <LiveLog
      device={device}
      log={view.log}
      onBack={() =>
        setView({
          log: null,
          livePage: null,
          liveLevel: null,
          liveSource: null,
          liveEvent: null,
          start: null,
          end: null,
          record: null,
        })
      }
    />
  );
}
