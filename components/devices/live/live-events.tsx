"use client";

import { useQueryStates } from "nuqs";
import { useCan } from "@/components/account/org";
import { Notice } from "@/components/ui/notice";
import type { DeviceDetail } from "@/server/devices/schema";
import { LiveLog } from "./live-log";
import { LiveLogs } from "./live-logs";
import { liveParsers } from "./live-params";

/** The device's own event logs, asked of its agent at this moment: nothing of it is stored here. */
export function LiveEvents({ device }: { device: DeviceDetail }) {
  const mayAsk = useCan("devices:live");
  const [view, setView] = useQueryStates(liveParsers, { history: "push" });
  if (!mayAsk)
    return (
      <Notice title="You may not ask devices live">
        It takes the permission devices:live. What the device sent by itself stands under Event logs.
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
