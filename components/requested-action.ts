import { useEffect, useEffectEvent } from "react";

/** A requested action expires after this time, in case its page failed to load. */
const REQUEST_EXPIRY_MS = 60_000;

type Requested = { act: string; path: string; from: string; at: number };

let requested: Requested | null = null;
const waiting = new Set<() => void>();

/** Requests an action from the page at `path`, the current or the next one. Kept in memory, so that no link can trigger it. */
export function requestAction(act: string, path: string): void {
  requested = { act, path, from: window.location.pathname, at: Date.now() };
  for (const notify of waiting) notify();
}

/** Cancels a requested action when the user goes to another page. */
export function useForgottenAction(pathname: string): void {
  useEffect(() => {
    if (requested && ![requested.path, requested.from].includes(pathname)) requested = null;
  }, [pathname]);
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
