import { useEffect, useEffectEvent } from "react";

/** An act that is asked for and not taken up within this time, because its page failed to load, is forgotten. */
const FORGOTTEN_MS = 10_000;

let requested: { act: string; at: number } | null = null;
const waiting = new Set<() => void>();

/** Asks for an act of the page that is shown, or that comes next. It is held in memory: no link can ask for it. */
export function requestAct(act: string): void {
  requested = { act, at: Date.now() };
  for (const notify of waiting) notify();
}

/** Runs what the palette asks for by this name; null while it cannot be done. */
export function useRequestedAct(act: string, run: (() => void) | null): void {
  const runIfRequested = useEffectEvent(() => {
    if (requested?.act !== act || !run) return;
    const isRecent = Date.now() - requested.at < FORGOTTEN_MS;
    requested = null;
    if (isRecent) run();
  });
  useEffect(() => {
    const onAsk = () => runIfRequested();
    onAsk();
    waiting.add(onAsk);
    return () => void waiting.delete(onAsk);
  }, []);
}
