"use client";

import { useEffect, useState } from "react";

/** The element that had the focus, and its ancestors on the page, nearest first. */
type Opener = { element: HTMLElement; around: readonly HTMLElement[] };

/** The elements that had the focus before each open dialog, outermost first. */
let openers: readonly Opener[] = [];

function aroundOf(element: HTMLElement): HTMLElement[] {
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at?.closest("main"); at = at.parentElement) around.push(at);
  return around;
}

function currentOpeners(): readonly Opener[] {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && focused !== document.body
    ? [...openers, { element: focused, around: aroundOf(focused) }]
    : openers;
}

/** Whether an element can get the focus: still on the page, and not behind another dialog. */
function canFocus(element: HTMLElement): boolean {
  const modals = [...document.querySelectorAll('[aria-modal="true"]')];
  return element.isConnected && (modals.length === 0 || modals.some((modal) => modal.contains(element)));
}

/** Focuses the nearest remaining ancestor of the opener, unless the page has moved the focus itself. */
function focusNearest(ownOpeners: readonly Opener[]): void {
  if (document.activeElement !== document.body) return;
  const target = ownOpeners.at(-1)?.around.find(canFocus);
  if (target && !target.hasAttribute("tabindex")) target.tabIndex = -1;
  target?.focus();
}

function restoreFocus(mine: readonly Opener[]): void {
  const opener = mine.findLast(({ element }) => canFocus(element));
  if (opener) opener.element.focus();
  else requestAnimationFrame(() => focusNearest(mine)); // The page's own effects run after those of the closing dialog.
}

/**
 * Returns the focus to the element that had it before the dialog opened. If that element disappeared because this
 * dialog replaced another one, the focus returns to that dialog's opener; if the dialog's action removed it, such as a
 * Revoke button, to its former place on the page.
 */
export function useReturnedFocus() {
  const [mine] = useState(currentOpeners);
  useEffect(() => {
    const outer = openers;
    openers = mine;
    return () => {
      openers = outer;
      restoreFocus(mine);
    };
  }, [mine]);
}
