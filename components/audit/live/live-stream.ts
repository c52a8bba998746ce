import { useEffect, useEffectEvent, useState } from "react";
import type { Entry } from "@/components/audit/entry";
import type { Input } from "@/components/audit/state/view";
import { leaveIfSignedOut } from "@/components/query-client";
import { type ApiError, useTRPCClient } from "@/components/trpc";

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15_000;

/** New entries, or a request to reload the list; see server/audit/tail/schema.ts. */
export type TailMessage = { kind: "entries"; entries: Entry[] } | { kind: "reload" };

/** The stream's state; ended: the server refused it, with the reason. */
export type StreamState = { kind: "connecting" | "live" | "reconnecting" } | { kind: "ended"; reason: string };

/**
 * Refusals that a retry would not change. A 429 after a lost connection is retried: the server may still count the old
 * one.
 */
function refusal(error: ApiError, hadStarted: boolean): StreamState | null {
  const status = error.data?.httpStatus ?? 500;
  if (status === 429 && hadStarted) return null;
  return status < 500 ? { kind: "ended", reason: error.message } : null;
}

/**
 * Subscribes to newly sealed entries while the tab is visible. After a lost connection, or when the tab becomes visible
 * again, it resumes after the last message. `input` must be referentially stable.
 */
export function useTailStream(input: Input, onMessage: (message: TailMessage) => void): StreamState {
  const client = useTRPCClient();
  const [state, setState] = useState<StreamState>({ kind: "connecting" });
  const onNewMessage = useEffectEvent(onMessage);
  useEffect(() => {
    let position: string | undefined;
    let delayMs = FIRST_DELAY_MS;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let close = () => {};
    let reconnect = () => {};
    const open = () => {
      // A hidden tab must not occupy one of the browser's six connections per host.
      if (document.hidden) return;
      let isOver = false;
      const end = (next: StreamState | null) => {
        if (isOver) return;
        close();
        setState(next ?? { kind: "reconnecting" });
        if (!next) timer = setTimeout(open, delayMs);
        delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
      };
      const stream = client.audit.tail.subscribe(
        { ...input, ...(position && { lastEventId: position }) },
        {
          onData: ({ id, data }) => {
            position = id;
            delayMs = FIRST_DELAY_MS;
            onNewMessage(data);
          },
          onConnectionStateChange: ({ state: now }) => {
            if (isOver) return;
            if (now === "pending") setState({ kind: "live" });
            else if (now === "connecting") setState((was) => (was.kind === "live" ? { kind: "reconnecting" } : was));
          },
          onError: (error) => {
            leaveIfSignedOut(error);
            end(refusal(error, position !== undefined));
          },
          onComplete: () => end(null),
        },
      );
      close = () => {
        isOver = true;
        stream.unsubscribe();
      };
      reconnect = () => end(null);
    };
    const reopen = () => {
      clearTimeout(timer);
      close();
      open();
    };
    const onOffline = () => reconnect();
    open();
    // Browsers detect a lost network late, and a stream that is being opened could still report that it is live.
    window.addEventListener("online", reopen);
    document.addEventListener("visibilitychange", reopen);
    window.addEventListener("offline", onOffline);
    return () => {
      clearTimeout(timer);
      close();
      window.removeEventListener("online", reopen);
      document.removeEventListener("visibilitychange", reopen);
      window.removeEventListener("offline", onOffline);
    };
  }, [client, input]);
  return state;
}
