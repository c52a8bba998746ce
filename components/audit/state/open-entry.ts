"use client";

import { useMediaQuery } from "@mantine/hooks";
import { type RefObject, useCallback, useEffect, useRef } from "react";
import type { Entry } from "@/components/audit/entry";
import type { ViewerState } from "./viewer-state";

/** Focuses an entry's link. */
function focusEntry(table: HTMLTableElement | null, id: string): void {
  table?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(id)}"]`)?.focus();
}

/** The window width from which an entry fits beside the list. */
const WIDE = "(min-width: 75em)";
/** Debounce: while a key is held down, the panel does not load every entry on the way. */
const FOLLOW_MS = 120;

type Options = { entries: Entry[]; table: RefObject<HTMLTableElement | null> };

/** Opens and closes entries, steps to the next one, and returns the focus to the row on close. */
export function useOpenEntry({ view, setView }: ViewerState, { entries, table }: Options) {
  const isBeside = useMediaQuery(WIDE, false);
  const panel = useRef<HTMLElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const { row } = view;
  const latest = useRef((_: string) => {});
  latest.current = (id) => {
    clearTimeout(timer.current);
    // Opening it a second time moves the focus into the panel.
    if (id === row) return panel.current?.focus();
    // One history step for the whole walk: Back returns to the list.
    setView({ row: id }, { history: row ? "replace" : "push" });
    if (isBeside) focusEntry(table.current, id);
  };
  // A stable function, so that memoized rows do not rerender.
  const open = useCallback((id: string) => latest.current(id), []);
  const step = (by: 1 | -1) => {
    const next = entries[entries.findIndex((entry) => entry.id === row) + by];
    if (next) setView({ row: next.id }, { history: "replace" });
  };
  /** Called when the focus moves to an entry: the panel follows. */
  const follow = (id: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setView({ row: id }, { history: "replace" }), FOLLOW_MS);
  };
  const close = () => {
    clearTimeout(timer.current);
    setView({ row: null });
    if (row) requestAnimationFrame(() => focusEntry(table.current, row));
  };
  return { open, step, follow, close, isBeside, panel };
}

export type OpenEntry = ReturnType<typeof useOpenEntry>;
