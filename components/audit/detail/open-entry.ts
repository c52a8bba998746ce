"use client";

import { type RefObject, useCallback } from "react";
import type { Entry } from "@/components/audit/entry";
import { useViewer } from "@/components/audit/viewer-context";
import { focusEntry } from "@/components/audit/viewer-keys";

/** Opens entries beside the list, walks from one to the next, and gives the focus back to the row when it closes. */
export function useOpenEntry(entries: Entry[], table: RefObject<HTMLTableElement | null>) {
  const { view, setView } = useViewer();
  const open = useCallback((row: string) => setView({ row }), [setView]);
  const step = (by: 1 | -1) => {
    const next = entries[entries.findIndex((entry) => entry.id === view.row) + by];
    // Back leads to the list, not through every entry that was walked over.
    if (next) setView({ row: next.id }, { history: "replace" });
  };
  const close = () => {
    const id = view.row;
    setView({ row: null });
    if (id) requestAnimationFrame(() => focusEntry(table.current, id));
  };
  return { open, step, close };
}
