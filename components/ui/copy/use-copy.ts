"use client";

import { useEffect, useRef, useState } from "react";
import { copyText } from "./copy-text";

/** How long a button says that it has copied. */
const SHOWN_MS = 1500;

/** Copies a text, and says for a moment that it did. */
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
