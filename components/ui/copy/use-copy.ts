"use client";

import { useEffect, useRef, useState } from "react";

/** Copies via a selection placed next to the focus, so that an open menu or dialog stays open. */
function copySelected(text: string): boolean {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  Object.assign(area.style, { position: "fixed", top: "0", opacity: "0" });
  (focused?.parentElement ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  focused?.focus({ preventScroll: true });
  return isCopied;
}

/**
 * Copies a text. Browsers have no clipboard API over plain HTTP from another machine, so an older way is used there.
 * @returns false if the browser allows neither
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Time that a button shows the confirmation. */
const SHOWN_MS = 1500;

/** Copies a text and shows a brief confirmation. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<void> } {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (text: string) => {
    if (!(await copyText(text))) return;
    clearTimeout(timer.current);
    setCopied(true);
    timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return { copied, copy };
}
