"use client";

import { Search } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import { isTyping, useKeyDown } from "@/components/ui/key-down";
import { IconButton } from "@/components/ui/popover/tip";

/** After this time the palette is assumed unreachable and keys are released. */
const EARLY_KEYS_TIMEOUT_MS = 10_000;

const Palette = dynamic(() => import("./palette").then((m) => m.Palette), { ssr: false });
const KeyMap = dynamic(() => import("./key-map").then((m) => m.KeyMap), { ssr: false });

/**
 * Buffers what is typed between the shortcut and the palette's field getting the focus; Enter becomes a newline.
 */
function useEarlyKeys(opened: number): string {
  const [early, setEarly] = useState("");
  useEffect(() => {
    setEarly("");
    if (opened === 0 || isTyping(document.activeElement)) return;
    const over = new AbortController();
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") over.abort();
      const key = event.key === "Enter" ? "\n" : event.key;
      if (event.ctrlKey || event.metaKey || event.altKey || key.length !== 1 || isTyping(event.target)) return;
      event.preventDefault();
      event.stopPropagation();
      setEarly((before) => before + key);
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (isTyping(target)) over.abort();
    };
    document.addEventListener("keydown", onKey, { capture: true, signal: over.signal });
    document.addEventListener("focusin", onFocus, { signal: over.signal });
    document.addEventListener("pointerdown", () => over.abort(), { signal: over.signal });
    const timer = setTimeout(() => over.abort(), EARLY_KEYS_TIMEOUT_MS);
    import("./palette").catch(() => over.abort());
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [opened]);
  return early;
}

/** Ctrl+K or Cmd+K opens the palette on every page, "?" the keyboard help; both are loaded on demand. */
export function PaletteKey() {
  const [opened, setOpened] = useState(0);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const early = useEarlyKeys(opened);
  useKeyDown((event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      setOpened((n) => n + 1);
    } else if (event.key === "?" && !isTyping(event.target)) {
      if (!document.querySelector("[role=dialog]")) setIsHelpOpen(true);
    }
  });
  return (
    <>
      <IconButton
        label="Go to"
        tip="Go to a page, view, person, device or organization (Ctrl K)"
        icon={Search}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpened(opened + 1)}
      />
      {opened > 0 && <Palette opened={opened} early={early} onHelp={() => setIsHelpOpen(true)} />}
      {isHelpOpen && <KeyMap onClose={() => setIsHelpOpen(false)} />}
    </>
  );
}
