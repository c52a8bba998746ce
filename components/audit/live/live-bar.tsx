import { useThrottledValue } from "@mantine/hooks";
import { ArrowUp } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { count } from "@/components/format/amounts";
import type { StreamState } from "./live-stream";
import classes from "./live-tail.module.css";

/** Announcements to screen readers are throttled to this interval. */
const ANNOUNCE_MS = 5_000;

type Props = {
  state: StreamState;
  /** Paused by the user, or scrolled away from the top. */
  isPaused: boolean;
  waiting: number;
  /** More entries arrived than are kept; the list will be reloaded. */
  isTooMany: boolean;
  dock: RefObject<HTMLDivElement | null>;
  onPause: () => void;
  onShowHeld: () => void;
};

function waitingText({ waiting, isTooMany }: Props): string {
  if (waiting > 0) return `${count(waiting)}${isTooMany ? "+" : ""} new`;
  return isTooMany ? "newer entries" : "";
}

function stateText(props: Props): string {
  const { state, isPaused } = props;
  if (state.kind === "connecting") return "Connecting";
  if (state.kind === "reconnecting") return "Reconnecting";
  if (state.kind === "ended") return `Live updates ended: ${state.reason}`;
  return [isPaused ? "Paused" : "Live", waitingText(props)].filter(Boolean).join(", ");
}

const usesSpace = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest("input, textarea, select, button, summary, [role=dialog], [role=menu]"));

/** Space pauses and resumes, except where Space already has a function. */
function useSpace(onSpace: () => void): void {
  const press = useEffectEvent(onSpace);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== " " || event.ctrlKey || event.metaKey || event.altKey || usesSpace(event.target)) return;
      event.preventDefault();
      press();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** The state of the live view and the number of held entries; clicking the pill shows them. */
export function LiveBar(props: Props) {
  const { state, isPaused, dock, onPause, onShowHeld } = props;
  const text = stateText(props);
  const spoken = useThrottledValue(text, ANNOUNCE_MS);
  const waiting = waitingText(props);
  const isActive = state.kind !== "ended";
  useSpace(() => isActive && onPause());
  const pause = useRef<HTMLButtonElement>(null);
  const showHeld = () => {
    // The pill disappears; move the focus to the nearest control.
    pause.current?.focus({ preventScroll: true });
    onShowHeld();
  };
  return (
    <>
      <div className={classes.bar} data-state={isPaused && state.kind === "live" ? "paused" : state.kind}>
        <span className={classes.dot} aria-hidden />
        <span aria-hidden>{text}</span>
        <span role="status" className="tm-spoken">
          {spoken}
        </span>
        {isActive && (
          <button type="button" className={classes.action} onClick={onPause} ref={pause}>
            {isPaused ? "Resume" : "Pause"}
          </button>
        )}
      </div>
      <div className={classes.dock} ref={dock}>
        {waiting && (
          <button type="button" className={classes.pill} onClick={showHeld}>
            <ArrowUp size={14} aria-hidden /> {waiting}
          </button>
        )}
      </div>
    </>
  );
}
