"use client";

import { useSyncExternalStore } from "react";
import { GUID } from "@/server/ground/text";

const KEY = "trailmark.pins";
const MAX_PINS = 2;
const NONE: readonly string[] = [];

const listeners = new Set<() => void>();
let last: { text: string | null; pins: readonly string[] } = { text: null, pins: NONE };

/** The ids of the pinned entries, oldest first; kept per tab, independent of the list's filters. */
function read(): readonly string[] {
  const text = sessionStorage.getItem(KEY);
  if (text !== last.text) last = { text, pins: (text ?? "").split(",").filter((id) => GUID.test(id)) };
  return last.pins;
}

function write(pins: readonly string[]): void {
  sessionStorage.setItem(KEY, pins.join(","));
  for (const listener of listeners) listener();
}

/** Pins or unpins an entry. A third pin replaces the oldest. */
export function togglePin(id: string): void {
  const pins = read();
  write(pins.includes(id) ? pins.filter((one) => one !== id) : [...pins, id].slice(-MAX_PINS));
}

export const clearPins = (): void => write(NONE);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The ids of the pinned entries. */
export const usePins = (): readonly string[] => useSyncExternalStore(subscribe, read, () => NONE);

/** The URL that compares two entries; without the first, the second is compared with the previous change. */
export const comparePath = (a: string | null, b: string): string =>
  `/audit/compare?${new URLSearchParams({ ...(a && { a }), b })}`;
