"use client";

import { Radio } from "lucide-react";
import dynamic from "next/dynamic";
import { type MouseEvent, type ReactNode, useState } from "react";
import type { Entry } from "@/components/audit/entry";
import { Tool } from "@/components/audit/filters/tool";
import type { SetView, View } from "@/components/audit/state/view";
import { isLive, isOpenEnded } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import type { ViewerState } from "@/components/audit/state/viewer-state";
import type { LiveTailProps } from "./live-tail";

/** Turns live updates on, from the first page, or off. */
export const toggleLive = (view: View, setView: SetView): unknown =>
  isOpenEnded(view) && setView(isLive(view) ? { live: null } : { live: "1", cursor: null });

/** Live updates switch. A range with an end gets no new entries. */
export function LiveToggle() {
  const { view, setView } = useViewer();
  const isPossible = isOpenEnded(view);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // After a click, Space must pause the list; if the button kept the focus, Space would turn live updates off.
    if (event.detail > 0) event.currentTarget.blur();
    toggleLive(view, setView);
  };
  return (
    <Tool
      icon={Radio}
      title={isPossible ? "Show new entries as they arrive (l)" : "The range has an end, so no new entries can appear"}
      aria-pressed={isLive(view)}
      data-disabled={!isPossible || undefined}
      aria-disabled={!isPossible || undefined}
      onClick={press}
    >
      Live
    </Tool>
  );
}

const LiveTail = dynamic(() => import("./live-tail").then((m) => m.LiveTail), { ssr: false });
const NONE: Entry[] = [];

type Options = Pick<LiveTailProps, "list" | "counted" | "table">;
/**
 * The list's entries including live ones, how many the total does not count yet, whether rows must stay in place, and
 * the status bar.
 */
export type Live = { entries: Entry[]; added: number; isHeld: boolean; bar: ReactNode };

/** The list's entries, including new ones while the view is live. The live code is loaded on demand. */
export function useLive(state: ViewerState, { list, counted, table }: Options): Live {
  const { view, listed } = state;
  const [tail, setTail] = useState<Omit<Live, "bar"> | null>(null);
  if (!isLive(view)) return { entries: list.data?.data ?? NONE, added: 0, isHeld: false, bar: null };
  return {
    entries: tail?.entries ?? list.data?.data ?? NONE,
    added: tail?.added ?? 0,
    isHeld: tail?.isHeld ?? true,
    bar: (
      <LiveTail
        key={JSON.stringify({ ...listed, from: view.range ?? listed.from })}
        viewer={state}
        list={list}
        counted={counted}
        table={table}
        onChange={setTail}
      />
    ),
  };
}
