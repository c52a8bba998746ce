"use client";

import { useSyncExternalStore } from "react";
import { GUID } from "@/server/text";

const KEY = "trailmark.pins";
const MAX_PINS = 2;
const NONE: readonly string[] = [];

const listeners = new Set<() => void>();
let last: { text: string | null; pins: readonly string[] } = { text: null, pins: NONE };

/** The ids of the pinned entries, oldest pin first; kept for the tab, regardless of the list it shows. */
function read(): readonly string[] {
  const text = sessionStorage.getItem(KEY);
  if (text !== last.text) last = { text, pins: (text ?? "").split(",").filter((id) => GUID.test(id)) };
  return last.pins;
}

function write(pins: readonly string[]): void {
  sessionStorage.setItem(KEY, pins.join(","));
  for (const listener of listeners) listener();
}

/** Pins an entry, or takes its pin away; of a third the first gives way. */
export function togglePin(id: string): void {
  const pins = read();
  write(pins.includes(id) ? pins.filter((one) => one !== id) : [...pins, id].slice(-MAX_PINS));
}

export const clearPins = (): void => write(NONE);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The pinned entries' ids. */
export const usePins = (): readonly string[] => useSyncExternalStore(subscribe, read, () => NONE);

/** The page that compares two entries; without the first, with the change before the second. */
export const comparePath = (a: string | null, b: string): string =>
  `/audit/compare?${new URLSearchParams({ ...(a && { a }), b })}`;
