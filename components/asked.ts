import { useEffect, useEffectEvent } from "react";

/** An act that is asked for and not taken up within this time, because its page failed to load, is forgotten. */
const FORGOTTEN_MS = 10_000;

let asked: { act: string; at: number } | null = null;
const waiting = new Set<() => void>();

/** Asks for an act of the page that is shown, or that comes next. It is held in memory: no link can ask for it. */
export function ask(act: string): void {
  asked = { act, at: Date.now() };
  for (const look of waiting) look();
}

/** Runs what the palette asks for by this name; null while it cannot be done. */
export function useAsked(act: string, run: (() => void) | null): void {
  const look = useEffectEvent(() => {
    if (asked?.act !== act || !run) return;
    const isRecent = Date.now() - asked.at < FORGOTTEN_MS;
    asked = null;
    if (isRecent) run();
  });
  useEffect(() => {
    const onAsk = () => look();
    onAsk();
    waiting.add(onAsk);
    return () => void waiting.delete(onAsk);
  }, []);
}
