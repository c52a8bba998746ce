"use client";

import { useEffect, useState } from "react";

/** What had the focus, and what stood around it on the page, the nearest first. */
type Opener = { element: HTMLElement; around: readonly HTMLElement[] };

/** What had the focus before each of the dialogs that are open, the outermost first. */
let openers: readonly Opener[] = [];

function aroundOf(element: HTMLElement): HTMLElement[] {
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at?.closest("main"); at = at.parentElement) around.push(at);
  return around;
}

function openersNow(): readonly Opener[] {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && focused !== document.body
    ? [...openers, { element: focused, around: aroundOf(focused) }]
    : openers;
}

/** Whether the focus may go there: it is still on the page, and behind no other dialog. */
function isWithinReach(element: HTMLElement): boolean {
  const modals = [...document.querySelectorAll('[aria-modal="true"]')];
  return element.isConnected && (modals.length === 0 || modals.some((modal) => modal.contains(element)));
}

/** To the place on the page where the opener was, unless the page has moved the focus itself. */
function goNear(mine: readonly Opener[]): void {
  if (document.activeElement !== document.body) return;
  const target = mine.at(-1)?.around.find(isWithinReach);
  if (target && !target.hasAttribute("tabindex")) target.tabIndex = -1;
  target?.focus();
}

function giveBack(mine: readonly Opener[]): void {
  const opener = mine.findLast(({ element }) => isWithinReach(element));
  if (opener) opener.element.focus();
  else requestAnimationFrame(() => goNear(mine)); // A page's own effects run after those of the dialog that goes.
}

/**
 * Gives the focus back to what had it before the dialog that calls this; where that has gone, because this dialog took
 * the place of another, to what had it before that one; and where the dialog itself has done away with it, as a button
 * that revokes, to the place on the page where it was.
 */
export function useReturnedFocus() {
  const [mine] = useState(openersNow);
  useEffect(() => {
    const outer = openers;
    openers = mine;
    return () => {
      openers = outer;
      giveBack(mine);
    };
  }, [mine]);
}
