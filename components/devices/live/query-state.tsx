"use client";

import { Button, Group, Loader } from "@mantine/core";
import { CircleSlash, Clock, type LucideIcon, PlugZap, Radio, TriangleAlert, WifiOff } from "lucide-react";
import type { ReactNode } from "react";
import { When } from "@/components/format/when";
import { errorText, Failure, Notice, problemOf } from "@/components/ui/notice";
import { LIVE_QUERY_TIMEOUT_MS } from "@/server/devices/live/schema";
import type { DeviceDetail } from "@/server/devices/schema";
import type { LiveQuery } from "./use-live-query";

/** Time of the displayed answer; empty without one. */
export const Answered = ({ live }: { live: LiveQuery }) =>
  live.answeredAt && !live.error ? (
    <span>
      Answered <When at={live.answeredAt} />
    </span>
  ) : null;

/**
 * Whether the user requested a query since opening the tab: opening it neither queries the device nor records anything.
 */
export type Asking = { isAsked: boolean; onAsk: () => void };

/** True before the first request. */
export const isUnasked = (live: LiveQuery & { data: unknown }, isAsked: boolean): boolean =>
  !isAsked && live.data === undefined && !live.error && !live.isRunning;

type UnaskedProps = { device: DeviceDetail; what: string; onAsk: () => void };

/** Notice before the device is queried. */
export function Unasked({ device: { hostname, online, lastSeenAt }, what, onAsk }: UnaskedProps) {
  return (
    <Notice
      icon={online ? Radio : WifiOff}
      title={online ? `Not read from ${hostname} yet` : `${hostname} is offline`}
      action={
        <Button variant={online ? "filled" : "default"} onClick={onAsk}>
          {online ? what : "Query anyway"}
        </Button>
      }
    >
      {online ? (
        "The device answers live; nothing is stored. Each query is recorded in the audit log."
      ) : (
        <>
          Last seen: <When at={lastSeenAt} />. What it sent earlier is under Event logs.
        </>
      )}
    </Notice>
  );
}

type Props = { live: LiveQuery; what: string; device: DeviceDetail; children: ReactNode };

/** The state of a live query: running, cancelled, failed with its reason, or answered. */
export function QueryState({ live, what, device, children }: Props) {
  const { hostname } = device;
  const { error, isRunning } = live;
  return (
    <>
      <Group gap="8px 12px" mih={40} px="edge" pb="sm" c="dimmed" role="status">
        {isRunning && (
          <>
            <Loader size="xs" aria-hidden />
            <span>
              Querying {hostname} for {what}
            </span>
            <span className="tm-figures" aria-hidden>
              {live.seconds.toFixed(1)} s
            </span>
            <Button variant="default" size="compact-sm" onClick={live.cancel}>
              Cancel
            </Button>
          </>
        )}
      </Group>
      {!isRunning && live.wasCancelled && !error && (
        <Notice icon={CircleSlash} title="Cancelled" action={<Retry onClick={live.retry}>Try again</Retry>}>
          The query to {hostname} was cancelled. Its answer will not be shown.
        </Notice>
      )}
      {!isRunning && Boolean(error) && <QueryFailure error={error} what={what} device={device} onRetry={live.retry} />}
      {!error && children}
    </>
  );
}

const Retry = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <Button variant="default" onClick={onClick}>
    {children}
  </Button>
);

const SECONDS = LIVE_QUERY_TIMEOUT_MS / 1000;

const ERROR_CONTENT: Record<string, { icon: LucideIcon; title: (host: string) => string; text: string }> = {
  device_offline: {
    icon: WifiOff,
    title: (host: string) => `${host} is not connected`,
    text: "The agent is offline. See Event logs for what it sent earlier.",
  },
  agent_timeout: {
    icon: Clock,
    title: (host: string) => `${host} did not answer within ${SECONDS} seconds`,
    text: "The device may be busy or the log large. Narrow the filters, or try again.",
  },
  agent_disconnected: {
    icon: PlugZap,
    title: (host: string) => `${host} disconnected during the query`,
    text: "Its agent's connection ended before the answer came. It usually reconnects on its own.",
  },
  agent_bad_response: {
    icon: TriangleAlert,
    title: (host: string) => `The agent on ${host} could not answer`,
    text: "",
  },
};

type FailureProps = Pick<Props, "what" | "device"> & { error: unknown; onRetry: () => void };

function QueryFailure({ error, what, device: { hostname, lastSeenAt }, onRetry }: FailureProps) {
  const problem = problemOf(error);
  const words = problem && ERROR_CONTENT[problem.code];
  if (!words) return <Failure error={error} onRetry={onRetry} what={what} />;
  return (
    <Notice
      icon={words.icon}
      role="alert"
      title={words.title(hostname)}
      action={<Retry onClick={onRetry}>Retry</Retry>}
    >
      {words.text || errorText(error)} Last seen: <When at={lastSeenAt} />.
      {problem?.requestId && (
        <>
          {" "}
          Request <code className="tm-code">{problem.requestId}</code>.
        </>
      )}
    </Notice>
  );
}
