"use client";

import { type RefObject, useEffect } from "react";

type Options = {
  table: RefObject<HTMLTableElement | null>;
  search: RefObject<HTMLInputElement | null>;
  isOpen: boolean;
  step: (by: 1 | -1) => void;
  onLive: () => void;
  onFold: () => void;
  onExport: (() => void) | null;
};

type Steps = Record<string, 1 | -1 | undefined>;
const STEPS: Steps = { j: 1, k: -1 };
const DRAWER_STEPS: Steps = { ArrowRight: 1, ArrowLeft: -1 };
/** On an entry of the list; elsewhere these scroll. */
const ROW_STEPS: Steps = { ArrowDown: 1, ArrowUp: -1 };

/** True while keys are text. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Puts the focus on an entry's sentence. */
export function focusEntry(table: HTMLTableElement | null, id: string): void {
  table?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(id)}"]`)?.focus();
}

/** Moves the focus one entry up or down; from outside the list it starts at the top. */
function moveFocus(table: HTMLTableElement | null, by: 1 | -1): void {
  const links = [...(table?.querySelectorAll<HTMLElement>("[data-entry], [data-fold]") ?? [])];
  const active = document.activeElement;
  const at = active instanceof HTMLElement ? links.indexOf(active) : -1;
  const next = at < 0 ? links[0] : links[at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** j and k walk the entries, also behind the open drawer; "/" goes to the search box; "e" exports; "l" follows the log; "f" folds. */
export function useViewerKeys({ table, search, isOpen, step, onLive, onFold, onExport }: Options): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // A drawer that slides out is still in the document.
      const inOtherDialog = !isOpen && document.querySelector(`[role=dialog]:not([aria-label="Audit entry"])`);
      if (inOtherDialog) return;
      const isInList = event.target instanceof Element && event.target.matches("[data-entry], [data-fold]");
      const by = STEPS[event.key] ?? (isOpen ? DRAWER_STEPS : isInList ? ROW_STEPS : {})[event.key];
      if (by) isOpen ? step(by) : moveFocus(table.current, by);
      else if (event.key === "/" && !isOpen) search.current?.focus();
      else if (event.key === "l" && !isOpen) onLive();
      else if (event.key === "f" && !isOpen) onFold();
      else if (event.key === "e" && onExport && !isOpen) onExport();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
}
