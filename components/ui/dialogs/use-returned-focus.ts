"use client";

import { useEffect, useState } from "react";

/** What had the focus before each of the dialogs that are open, the outermost first. */
let openers: readonly HTMLElement[] = [];

function openersNow(): readonly HTMLElement[] {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && focused !== document.body ? [...openers, focused] : openers;
}

/** Whether the focus may go there: it is still on the page, and behind no other dialog. */
function isWithinReach(element: HTMLElement): boolean {
  const modals = [...document.querySelectorAll('[aria-modal="true"]')];
  return element.isConnected && (modals.length === 0 || modals.some((modal) => modal.contains(element)));
}

/**
 * Gives the focus back to what had it before the dialog that calls this; where that has gone, because this dialog took
 * the place of another, to what had it before that one.
 */
export function useReturnedFocus() {
  const [mine] = useState(openersNow);
  useEffect(() => {
    const outer = openers;
    openers = mine;
    return () => {
      openers = outer;
      mine.findLast(isWithinReach)?.focus();
    };
  }, [mine]);
}
