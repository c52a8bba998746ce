"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, memo, type PointerEvent, type ReactNode, useMemo, useState } from "react";
import { FROM_START, isLive } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { dateTime } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import { type Bar, barsOf, describeAllBars, describeBars, spanBetween, sumOf, type Tick, ticksOf } from "./bars";
import classes from "./histogram.module.css";

/** Poll interval while the list is live. */
const LIVE_POLL_MS = 30_000;
type OnSpan = (span: { from: Date; to: Date }) => void;
/** Keeps a log of a few minutes from filling the width with a few huge bars. */
const MAX_BAR_PX = 48;

/** The ends of a selection: where it started and where it is now. */
type Brush = { anchor: number; at: number };

/**
 * The matching entries over time, stacked by result. Dragging over bars zooms in; with the keyboard, arrows move, Shift
 * extends the selection and Enter zooms in. Beside it stand the counts and `children`. On a phone only these are shown
 * until it is unfolded.
 */
export function Histogram({ isUnfolded, children }: { isUnfolded: boolean; children: ReactNode }) {
  const { view, setView, input } = useViewer();
  const { zone } = useZone();
  const { cursor: _, skipCount: __, ...filter } = input;
  const query = useQuery(
    useTRPC().audit.histogram.queryOptions(
      { ...filter, zone },
      {
        trpc: UNBATCHED,
        placeholderData: keepPreviousData,
        refetchInterval: isLive(view) && LIVE_POLL_MS,
      },
    ),
  );
  const bars = useMemo(() => (query.data ? barsOf(query.data) : []), [query.data]);
  const step = query.data?.step ?? { unit: "day", n: 1 };
  const brush = useBrush(bars, ({ from, to }) => setView({ range: null, from, to, ...FROM_START }));
  const { low, high } = brush;
  const since = query.data?.truncated && query.data.countedFrom;
  return (
    <figure
      className={classes.histogram}
      data-stale={query.isPlaceholderData || undefined}
      data-unfolded={isUnfolded || undefined}
    >
      <div
        {...brush.handlers}
        className={classes.plot}
        data-screen
        style={{ maxWidth: `${Math.max(1, bars.length) * MAX_BAR_PX}px` }}
        role="slider"
        tabIndex={bars.length > 0 ? 0 : -1}
        aria-label="Entries over time. Arrow keys move, Shift extends, Enter zooms in"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={Math.min(brush.at, Math.max(0, bars.length - 1))}
        aria-valuetext={
          describeBars(low === null ? bars : bars.slice(low, high + 1), zone) ||
          (query.data ? "Nothing to show" : "Not counted")
        }
        aria-disabled={bars.length === 0 || undefined}
      >
        <Plot bars={bars} low={low} high={high} />
      </div>
      <Axis bars={bars.length} ticks={ticksOf(bars, step, zone)} />
      <figcaption className={classes.caption}>
        {children}
        <span className={classes.selected} data-screen>
          {query.isLoadingError && (
            <>
              The entries over time could not be counted.{" "}
              <button type="button" className="tm-press" onClick={() => void query.refetch()}>
                Retry
              </button>
            </>
          )}
          {low === null ? describeAllBars(bars, step) : describeBars(bars.slice(low, high + 1), zone)}
          {low === null && since ? `; only the newest, since ${dateTime(since, zone)}` : ""}
        </span>
      </figcaption>
    </figure>
  );
}

function Axis({ bars, ticks }: { bars: number; ticks: Tick[] }) {
  return (
    <div className={classes.axis} style={{ maxWidth: `${Math.max(1, bars) * MAX_BAR_PX}px` }} aria-hidden data-screen>
      {ticks.map(({ at, text }) => (
        <span key={at} style={{ left: `${(at / bars) * 100}%` }}>
          {text}
        </span>
      ))}
    </div>
  );
}

/** The bars as one picture, scaled to the tallest. Memoized, so that it renders only when they change. */
const Plot = memo(function Plot({ bars, low, high }: { bars: Bar[]; low: number | null; high: number }) {
  const max = Math.max(1, ...bars.map(sumOf));
  return (
    <svg
      viewBox={`0 0 ${Math.max(1, bars.length)} 100`}
      preserveAspectRatio="none"
      className={classes.bars}
      aria-hidden="true"
    >
      {low !== null && <rect x={low} width={high - low + 1} y={0} height={100} className={classes.brush} />}
      {bars.map((bar, x) => (
        <Stack key={bar.from.getTime()} bar={bar} x={x} most={max} />
      ))}
    </svg>
  );
});

const RESULTS = ["failure", "denied", "success"] as const;
/** Minimum heights in percent: even a single failure must be visible. */
const MIN_HEIGHT = { failure: 6, denied: 6, success: 2.5 };
const MAX_HEIGHT = 82;

function Stack({ bar, x, most }: { bar: Bar; x: number; most: number }) {
  let top = 100;
  return RESULTS.map((result) => {
    const height = bar[result] > 0 ? Math.max(MIN_HEIGHT[result], (bar[result] / most) * MAX_HEIGHT) : 0;
    top -= height;
    return height > 0 ? (
      <rect key={result} x={x + 0.08} width={0.84} y={Math.max(0, top)} height={height} data-result={result} />
    ) : null;
  });
}

/** Selects a run of bars by pointer or keyboard; low is null while nothing is selected. */
function useBrush(bars: Bar[], onSpan: OnSpan) {
  const [brush, setBrush] = useState<Brush | null>(null);
  const [isDown, setIsDown] = useState(false);
  const last = bars.length - 1;
  const barAt = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * bars.length)));
  };
  const zoom = (chosen: Brush | null) => {
    const span = chosen && spanBetween(bars, chosen.anchor, chosen.at);
    setBrush(null);
    if (span) onSpan(span);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || bars.length === 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setIsDown(true);
      setBrush({ anchor: barAt(event), at: barAt(event) });
    },
    onPointerMove: (event: PointerEvent) => {
      const at = barAt(event);
      if (bars.length > 0) setBrush((old) => ({ anchor: isDown && old ? old.anchor : at, at }));
    },
    onPointerUp: () => {
      if (isDown) zoom(brush);
      setIsDown(false);
    },
    onPointerCancel: () => setIsDown(false),
    onPointerLeave: () => !isDown && setBrush(null),
    onBlur: () => setBrush(null),
    onKeyDown: (event: KeyboardEvent) => {
      const now = brush ?? { anchor: last, at: last };
      const to = { ArrowLeft: now.at - 1, ArrowRight: now.at + 1, Home: 0, End: last }[event.key];
      if (to !== undefined && bars.length > 0) {
        const at = brush ? Math.max(0, Math.min(last, to)) : last;
        setBrush({ anchor: event.shiftKey ? now.anchor : at, at });
      } else if (event.key === "Enter") zoom(brush);
      else if (event.key === "Escape" && brush) setBrush(null);
      else return;
      event.preventDefault();
    },
  };
  const low = brush && Math.min(brush.anchor, brush.at);
  return { handlers, low, high: brush ? Math.max(brush.anchor, brush.at) : 0, at: brush?.at ?? Math.max(0, last) };
}
