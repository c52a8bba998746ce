import { focusManager, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useCallback, useEffect, useEffectEvent, useMemo, useState } from "react";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { type SetView, type View, viewParsers } from "./filters/address";
import { type Input, isLive, toListInput } from "./filters/list-input";
import { isFolding, listedInput } from "./fold/folding";
import { tableSettingsQuery } from "./table-params";

/** The URL's state, the list's input derived from it, and the time at which the list was last asked for. */
export type ViewerState = {
  view: View;
  setView: SetView;
  input: Input;
  /** The input of the list itself, without folded telemetry. */
  listed: Input;
  now: Date;
  setNow: (now: Date) => void;
  /** Both inputs as they are at another time. */
  inputsAt: (now: Date) => Pick<ViewerState, "input" | "listed">;
};

/** loadedAt: when the server rendered the page; the initial current time, so that both render the same. */
export function useViewerState(loadedAt: string): ViewerState {
  const [view, setView] = useQueryStates(viewParsers, { history: "push" });
  const [now, setNow] = useState(() => new Date(loadedAt));
  const { zone } = useZone();
  // A page that is looked at again reads its list again, and a ready-made range is the one of that moment. Older entries
  // stay those of the range that they were reached by: a later one may begin behind them.
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
