import { useEffect, useEffectEvent } from "react";

/** A requested action expires after this time, in case its page failed to load. */
const REQUEST_EXPIRY_MS = 60_000;

let requested: { act: string; at: number } | null = null;
const waiting = new Set<() => void>();

/** Requests an action from the current or next page. Kept in memory, so that no link can trigger it. */
export function requestAction(act: string): void {
  requested = { act, at: Date.now() };
  for (const notify of waiting) notify();
}

/** Runs the action when the palette requests it; null while it is unavailable. */
export function useRequestedAction(act: string, run: (() => void) | null): void {
  const runIfRequested = useEffectEvent(() => {
    if (requested?.act !== act || !run) return;
    const isRecent = Date.now() - requested.at < REQUEST_EXPIRY_MS;
    requested = null;
    if (isRecent) run();
  });
  useEffect(() => {
    const onRequest = () => runIfRequested();
    onRequest();
    waiting.add(onRequest);
    return () => void waiting.delete(onRequest);
  }, []);
}
