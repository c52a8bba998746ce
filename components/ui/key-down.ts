"use client";

import { useEffect, useRef } from "react";

/** True while the user is typing into a field. */
export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

type Handlers = { [K in keyof WindowEventMap]?: (event: WindowEventMap[K]) => void };

/** Listens to events of the page, or of another target, with the handlers of the latest render. */
export function useListeners(handlers: Handlers, target: () => EventTarget | null = () => document): void {
  const latest = useRef({ handlers, target });
  latest.current = { handlers, target };
  useEffect(() => {
    const gone = new AbortController();
    const handle = (event: Event) => {
      const on: ((event: never) => void) | undefined = latest.current.handlers[event.type as keyof Handlers];
      on?.(event as never);
    };
    for (const name of Object.keys(latest.current.handlers))
      latest.current.target()?.addEventListener(name, handle, { signal: gone.signal });
    return () => gone.abort();
  }, []);
}

/** Listens to every key press on the page. */
export const useKeyDown = (keydown: (event: KeyboardEvent) => void): void => useListeners({ keydown });
