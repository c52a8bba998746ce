"use client";

import { useRouter } from "next/navigation";
import { aroundPath } from "@/components/audit/entry";
import { togglePin } from "@/components/audit/state/pins";
import { isTyping, useKeyDown } from "@/components/ui/key-down";

const focused = (target: EventTarget | null): string | null =>
  (target instanceof Element && target.closest<HTMLElement>("[data-entry]")?.dataset.entry) || null;

/** "a" opens everything around the focused or open entry, "p" pins it. */
export function useEntryKeys(openId: string | null): void {
  const router = useRouter();
  useKeyDown((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector(`[role=dialog]:not([aria-label="Audit entry"])`)) return;
    const id = focused(event.target) ?? openId;
    if (!id) return;
    if (event.key === "a") router.push(aroundPath(id));
    else if (event.key === "p") togglePin(id);
    else return;
    event.preventDefault();
  });
}
