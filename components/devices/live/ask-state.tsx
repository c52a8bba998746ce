"use client";

import { Button, Loader } from "@mantine/core";
import { CircleSlash, Clock, PlugZap, TriangleAlert, WifiOff } from "lucide-react";
import type { ReactNode } from "react";
import { When } from "@/components/format/when";
import { errorText, Failure, Notice } from "@/components/ui/notice";
import { LIVE_QUERY_TIMEOUT_MS } from "@/server/live-events/schema";
import classes from "./live.module.css";

type Props = {
  asked: { isAsking: boolean; seconds: number; wasCancelled: boolean; again: () => void; cancel: () => void };
  error: unknown;
  what: string;
  hostname: string;
  lastSeenAt: string | null;
  children: ReactNode;
};

/** How a question to a device stands: being asked, cancelled, failed in its own words, or answered. */
export function AskState({ asked, error, what, hostname, lastSeenAt, children }: Props) {
  return (
    <>
      <div className={classes.asking} role="status">
        {asked.isAsking && (
          <>
            <Loader size="xs" aria-hidden />
            <span>
              Asking {hostname} for {what}
            </span>
            <span className="tm-figures" aria-hidden>
              {asked.seconds.toFixed(1)} s
            </span>
            <Button variant="default" size="compact-sm" onClick={asked.cancel}>
              Cancel
            </Button>
          </>
        )}
      </div>
      {!asked.isAsking && asked.wasCancelled && !error && (
        <Notice icon={CircleSlash} title="Cancelled" action={<Again onClick={asked.again}>Ask again</Again>}>
          {hostname} was asked, and nobody waits for its answer any more.
        </Notice>
      )}
      {!asked.isAsking && Boolean(error) && (
        <AskFailure error={error} what={what} hostname={hostname} lastSeenAt={lastSeenAt} onRetry={asked.again} />
      )}
      {!error && children}
    </>
  );
}

const Again = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <Button variant="default" onClick={onClick}>
    {children}
  </Button>
);

type Problem = { code: string; requestId: string };
const SECONDS = LIVE_QUERY_TIMEOUT_MS / 1000;

const WORDS = {
  device_offline: {
    icon: WifiOff,
    title: (host: string) => `${host} is offline`,
    text: "Its agent is not connected, so it cannot be asked now. What it sent before stands under Event logs.",
  },
  agent_timeout: {
    icon: Clock,
    title: (host: string) => `${host} did not answer within ${SECONDS} seconds`,
    text: "The device may be busy or the log large. Narrow the filters, or try again.",
  },
  agent_disconnected: {
    icon: PlugZap,
    title: (host: string) => `${host} went away while it was asked`,
    text: "Its agent's connection ended before the answer came. It usually returns by itself.",
  },
  agent_bad_response: {
    icon: TriangleAlert,
    title: (host: string) => `The agent on ${host} could not answer`,
    text: "",
  },
};

type FailureProps = {
  error: unknown;
  what: string;
  hostname: string;
  lastSeenAt: string | null;
  onRetry: () => void;
};

function AskFailure({ error, what, hostname, lastSeenAt, onRetry }: FailureProps) {
  const problem = (error as { data?: { problem?: Problem } }).data?.problem;
  const words = WORDS[problem?.code as keyof typeof WORDS];
  if (!words) return <Failure error={error as Error} onRetry={onRetry} what={what} />;
  return (
    <Notice
      icon={words.icon}
      role="alert"
      title={words.title(hostname)}
      action={<Again onClick={onRetry}>Retry</Again>}
    >
      {words.text || errorText(error)} Last seen: <When at={lastSeenAt} />.
      {problem?.requestId && (
        <>
          {" "}
          Request <code className={classes.request}>{problem.requestId}</code>.
        </>
      )}
    </Notice>
  );
}
