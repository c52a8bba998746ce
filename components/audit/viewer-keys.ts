"use client";

import { isTyping, useKeyDown } from "./key-down";
import { toggleLive } from "./live/live-toggle";
import { useViewer } from "./state/viewer-context";

type Steps = Record<string, 1 | -1 | undefined>;
const STEPS: Steps = { j: 1, k: -1 };
const DRAWER_STEPS: Steps = { ArrowRight: 1, ArrowLeft: -1 };
/** Only on an entry of the list; elsewhere these keys scroll. */
const ROW_STEPS: Steps = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus one entry up or down and returns the focused entry's id; starts at the top from outside the list. */
function moveFocus(table: HTMLTableElement | null, by: 1 | -1): string | undefined {
  const links = [...(table?.querySelectorAll<HTMLElement>("[data-entry], [data-fold]") ?? [])];
  const active = document.activeElement;
  const at = active instanceof HTMLElement ? links.indexOf(active) : -1;
  const next = at < 0 ? links[0] : links[at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next?.dataset.entry;
}

/**
 * j and k move through the entries, even behind the open drawer; an entry beside the list follows. "/" focuses the
 * search box, "e" exports, "l" toggles live updates, "f" toggles folding.
 */
export function useViewerKeys(): void {
  const { view, setView, table, search, settings, opened, exporting } = useViewer();
  useKeyDown((event) => {
    const { isBeside, step, follow, close } = opened;
    const isOpen = view.row !== null;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    const isCovered = isOpen && !isBeside;
    // A closing drawer is still in the document.
    const inOtherDialog = !isCovered && document.querySelector(`[role=dialog]:not([aria-label="Audit entry"])`);
    if (inOtherDialog) return;
    const isInList = event.target instanceof Element && event.target.matches("[data-entry], [data-fold]");
    const arrows = { ...(isOpen && DRAWER_STEPS), ...(!isCovered && isInList && ROW_STEPS) };
    const by = STEPS[event.key] ?? arrows[event.key];
    if (by && isOpen && !(isBeside && isInList)) step(by);
    else if (by) {
      const id = moveFocus(table.current, by);
      if (id && isOpen) follow(id);
    } else if (event.key === "Escape" && isOpen && isBeside) close();
    else if (isCovered) return;
    else if (event.key === "/") search.current?.focus();
    else if (event.key === "l") toggleLive(view, setView);
    else if (event.key === "f") settings.change({ fold: !settings.folds });
    else if (event.key === "e" && exporting.begin) exporting.begin();
    else return;
    event.preventDefault();
  });
}
