"use client";

import { useQueryStates } from "nuqs";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { useZone } from "@/components/format/zone";
import { type SetView, type View, viewParsers } from "./filters/address";
import { type Input, toListInput } from "./filters/list-input";

/** What the whole viewer shares: the address's state, the list's input for it, and the instant that "now" means. */
type ViewerState = { view: View; setView: SetView; input: Input; now: Date; setNow: (now: Date) => void };

const Context = createContext<ViewerState | null>(null);

export function useViewer(): ViewerState {
  const viewer = useContext(Context);
  if (!viewer) throw new Error("useViewer belongs under ViewerProvider");
  return viewer;
}

/** Reads the viewer's state from the address; loadedAt is the instant at which the server did. */
export function ViewerProvider({ loadedAt, children }: { loadedAt: string; children: ReactNode }) {
  const [view, setView] = useQueryStates(viewParsers, { history: "push" });
  const [now, setNow] = useState(() => new Date(loadedAt));
  const { zone } = useZone();
  const input = useMemo(() => toListInput(view, zone, now), [view, zone, now]);
  const viewer = useMemo(() => ({ view, setView, input, now, setNow }), [view, setView, input, now]);
  return <Context value={viewer}>{children}</Context>;
}
