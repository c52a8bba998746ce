"use client";

import dynamic from "next/dynamic";
import { type ReactNode, type RefObject, useState } from "react";
import type { Entry } from "@/components/audit/entry";
import { isLive } from "@/components/audit/state/view";
import type { ViewerState } from "@/components/audit/state/viewer-state";
import type { LiveQuery } from "./live-tail";

const LiveTail = dynamic(() => import("./live-tail").then((m) => m.LiveTail), { ssr: false });
const NONE: Entry[] = [];

type Options = {
  list: LiveQuery & { data?: LiveQuery["data"]; isPlaceholderData: boolean };
  counted: Pick<LiveQuery, "dataUpdatedAt" | "refetch">;
  table: RefObject<HTMLTableElement | null>;
};
/**
 * The list's entries including those that arrived live, how many of them the total does not count yet, whether the rows
 * must stay where they are, and the status bar.
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
