import { focusManager, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useCallback, useEffect, useEffectEvent, useMemo, useState } from "react";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { tableSettingsQuery } from "./table-params";
import {
  FROM_START,
  type Input,
  isFolding,
  isLive,
  listedInput,
  type SetView,
  toListInput,
  type View,
  viewParsers,
} from "./view";

/** State of the URL, the list's input derived from it, and the time of the last request. */
export type ViewerState = {
  view: View;
  setView: SetView;
  input: Input;
  /** The input of the list itself, without folded telemetry. */
  listed: Input;
  now: Date;
  setNow: (now: Date) => void;
  /** Both inputs as of another time. */
  inputsAt: (now: Date) => Pick<ViewerState, "input" | "listed">;
};

/** loadedAt: when the server rendered the page; the initial current time, so that both render the same. */
export function useViewerState(loadedAt: string): ViewerState {
  const [view, changeView] = useQueryStates(viewParsers, { history: "push" });
  const [latest, setNow] = useState(() => new Date(loadedAt));
  // Organization or address changed outside the page, so the list starts over.
  const [begun, setBegun] = useState({ loadedAt, orgId: view.orgId });
  if (begun.loadedAt !== loadedAt || begun.orgId !== view.orgId) {
    setBegun({ loadedAt, orgId: view.orgId });
    if (!isLive(view)) setNow(new Date());
  }
  // Older pages keep the range in which they were reached: a later range may start after them.
  const [reachedAt] = useState(() => new Map<string | null, Date>());
  const now = reachedAt.get(view.cursor) ?? latest;
  const { zone } = useZone();
  // A preset range is fixed when chosen, or when the list starts over.
  const setView: SetView = useCallback(
    (change, options) => {
      const { cursor, live }: Partial<View> = typeof change === "function" ? FROM_START : change;
      if (cursor) reachedAt.set(cursor, now);
      else if (cursor === null && !live) setNow(new Date());
      return changeView(change, options);
    },
    [changeView, reachedAt, now],
  );
  // A preset range is also renewed when the page becomes visible again, with its list.
  const lookAgain = useEffectEvent(
    (isFocused: boolean) => isFocused && !isLive(view) && view.cursor === null && setNow(new Date()),
  );
  useEffect(() => focusManager.subscribe((isFocused) => lookAgain(isFocused)), []);
  const preference = useQuery(tableSettingsQuery(useTRPC())).data?.fold;
  const inputsAt = useCallback(
    (at: Date) => {
      const input = toListInput(view, zone, at);
      return { input, listed: listedInput(input, view, isFolding(view, preference)) };
    },
    [view, zone, preference],
  );
  const inputs = useMemo(() => inputsAt(now), [inputsAt, now]);
  return { view, setView, ...inputs, now, setNow, inputsAt };
}
