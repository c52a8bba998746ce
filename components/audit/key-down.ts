"use client";

import { useEffect, useEffectEvent } from "react";

/** True while keys are text. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Hears every key that is pressed on the page. */
export function useKeyDown(hear: (event: KeyboardEvent) => void): void {
  const onKey = useEffectEvent(hear);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}

/** Puts the focus on an entry's sentence. */
export function focusEntry(table: HTMLTableElement | null, id: string): void {
  table?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(id)}"]`)?.focus();
}
