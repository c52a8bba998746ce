"use client";

import { useEffect, useEffectEvent } from "react";

/** True while the user is typing into a field. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Listens to every key press on the page. */
export function useKeyDown(onKeyDown: (event: KeyboardEvent) => void): void {
  const onKey = useEffectEvent(onKeyDown);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}
