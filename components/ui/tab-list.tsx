"use client";

import { Tabs } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

type Props = { label: string; chosen: string; children: ReactNode };

/** A page's tabs; if they do not fit they scroll, with the selected one in view. */
export function TabList({ label, chosen, children }: Props) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever another tab is selected.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (tab && list.current)
      list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.clientWidth) / 2;
  }, [chosen]);
  return (
    <Tabs.List ref={list} px="calc(var(--tm-edge) - 8px)" aria-label={label}>
      {children}
    </Tabs.List>
  );
}
