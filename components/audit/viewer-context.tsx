"use client";

import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { type SetView, type View, viewParsers } from "./filters/address";
import { type Input, toListInput } from "./filters/list-input";
import { isFolding, listedInput } from "./fold/folding";
import { tableSettingsQuery } from "./table-params";

/** The viewer's shared state: the URL's state, the list's input derived from it, and the current time. */
type ViewerState = {
  view: View;
  setView: SetView;
  input: Input;
  /** The input of the list itself, without folded telemetry. */
  listed: Input;
  now: Date;
  setNow: (now: Date) => void;
};

const Context = createContext<ViewerState | null>(null);

export function useViewer(): ViewerState {
  const viewer = useContext(Context);
  if (!viewer) throw new Error("useViewer belongs under ViewerProvider");
  return viewer;
}

/** loadedAt: when the server rendered the page; the initial current time, so that both render the same. */
export function ViewerProvider({ loadedAt, children }: { loadedAt: string; children: ReactNode }) {
  const [view, setView] = useQueryStates(viewParsers, { history: "push" });
  const [now, setNow] = useState(() => new Date(loadedAt));
  const { zone } = useZone();
  const input = useMemo(() => toListInput(view, zone, now), [view, zone, now]);
  const kept = useQuery(tableSettingsQuery(useTRPC())).data?.fold;
  const listed = useMemo(() => listedInput(input, view, isFolding(view, kept)), [input, view, kept]);
  const viewer = useMemo(() => ({ view, setView, input, listed, now, setNow }), [view, setView, input, listed, now]);
  return <Context value={viewer}>{children}</Context>;
}
