"use client";

import { useMediaQuery } from "@mantine/hooks";
import { type RefObject, useCallback, useEffect, useRef } from "react";
import type { Entry } from "@/components/audit/entry";
import { focusEntry } from "@/components/audit/key-down";
import { useViewer } from "@/components/audit/viewer-context";

/** From this width on there is room for an entry beside the list. */
const WIDE = "(min-width: 75em)";
/** So long the focus rests on an entry before the panel follows: keys that repeat ask for nothing in between. */
const FOLLOW_MS = 120;

/** Opens entries beside the list, walks from one to the next, and gives the focus back to the row when it closes. */
export function useOpenEntry(entries: Entry[], table: RefObject<HTMLTableElement | null>) {
  const { view, setView } = useViewer();
  const isBeside = useMediaQuery(WIDE, false);
  const panel = useRef<HTMLElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const { row } = view;
  const latest = useRef((_: string) => {});
  latest.current = (id) => {
    clearTimeout(timer.current);
    // Asked for again, it is where the keyboard continues.
    if (id === row) return panel.current?.focus();
    // Back leads to the list, not through every entry that was walked over.
    setView({ row: id }, { history: row ? "replace" : "push" });
    if (isBeside) focusEntry(table.current, id);
  };
  // The same for as long as the page stands: the rows that hold it need not be drawn again.
  const open = useCallback((id: string) => latest.current(id), []);
  const step = (by: 1 | -1) => {
    const next = entries[entries.findIndex((entry) => entry.id === row) + by];
    if (next) setView({ row: next.id }, { history: "replace" });
  };
  /** The focus has moved to an entry: the panel follows. */
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
