"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { barsOf, describeAllBars, describeBars, sumOf } from "@/components/audit/histogram/bars";
import { count, counted } from "@/components/format/amounts";
import { useZone } from "@/components/format/zone";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import { QueryFailure } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import type { ActorType } from "@/server/audit/vocabulary";
import type { ReportInput } from "./report-range";
import classes from "./trend.module.css";

const FULL = 100;
/** Minimum height of a step with entries. */
const MIN_HEIGHT = 2;

type BarsProps = { bars: { at: number; n: number; title: string }[]; most: number; children?: ReactNode };

/** Bars in one picture, scaled to `most`. */
const Bars = ({ bars, most, children }: BarsProps) => (
  <svg viewBox={`0 0 ${bars.length} ${FULL}`} preserveAspectRatio="none" aria-hidden="true">
    {bars.map(({ at, n, title }, x) => {
      const height = n > 0 ? Math.max(MIN_HEIGHT, (n / most) * FULL) : 0;
      return (
        <rect key={at} x={x + 0.1} width={0.8} y={FULL - height} height={height}>
          <title>{title}</title>
        </rect>
      );
    })}
    {children}
  </svg>
);

/** Preceding range of the same length; null without a start. */
function spanBefore({ from, to }: Pick<ReportInput, "from" | "to">, now: number) {
  if (!from) return null;
  const start = Date.parse(from);
  const length = (to ? Date.parse(to) : now) - start;
  return { from: new Date(start - length).toISOString(), to: new Date(start - 1).toISOString() };
}

type Filter = { actions?: string[]; actorType?: ActorType[] };
/** before: entries in the preceding period; without any there is no line. readAt: the end of a range without one. */
type TrendProps = { range: ReportInput; filter?: Filter; before?: number | null; readAt?: number };

/** Entries over the range as bars, and of the preceding period as a line. */
export function Trend({ range: { orgId, ...span }, filter, before = null, readAt = 0 }: TrendProps) {
  const trpc = useTRPC();
  const { zone } = useZone();
  const of = { ...filter, ...(orgId && { orgId: [orgId] }), zone };
  const options = (input: typeof span) => trpc.audit.histogram.queryOptions({ ...of, ...input }, { trpc: UNBATCHED });
  const now = useQuery(options(span));
  const earlier = before ? spanBefore(span, readAt) : null;
  const then = useQuery({ ...options(earlier ?? span), enabled: earlier !== null });
  if (now.isError) return <QueryFailure query={now} what="the entries over time" />;
  if (!now.data) return <Skeleton height={140} />;
  const bars = barsOf(now.data);
  if (bars.length === 0) return <Text c="dimmed">No entries in this range.</Text>;
  const old = earlier && then.data ? barsOf(then.data).slice(0, bars.length) : [];
  const most = Math.max(1, ...[...bars, ...old].map(sumOf));
  const line = old.map((bar, at) => `${at + 0.5},${FULL - (sumOf(bar) / most) * FULL}`).join(" ");
  const [span0 = ""] = describeBars(bars, zone).split(":");
  return (
    <div className={classes.chart}>
      <Bars
        bars={bars.map((bar) => ({ at: bar.from.getTime(), n: sumOf(bar), title: describeBars([bar], zone) }))}
        most={most}
      >
        {line && <polyline points={line} vectorEffect="non-scaling-stroke" />}
      </Bars>
      <p>
        {`${span0}: ${describeAllBars(bars, now.data.step)}`}
        {line && `. Line: the previous period, ${counted(before ?? 0, "entry", "entries")}`}
      </p>
    </div>
  );
}

const clockHour = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

/** Entries by hour of the day, over the whole range. */
export function ByHour({ hours }: { hours: readonly number[] }) {
  const most = Math.max(1, ...hours);
  const busiest = hours.indexOf(Math.max(...hours));
  return (
    <Section title="By hour of the day">
      <div className={classes.chart}>
        <Bars
          bars={hours.map((n, at) => ({ at, n, title: `${clockHour(at)}: ${counted(n, "entry", "entries")}` }))}
          most={most}
        />
        <div className={classes.hours} aria-hidden>
          {[0, 6, 12, 18].map((hour) => (
            <span key={hour}>{clockHour(hour)}</span>
          ))}
        </div>
        <p>{`Busiest from ${clockHour(busiest)} to ${clockHour((busiest + 1) % hours.length)}: ${count(hours[busiest] ?? 0)} of ${counted(
          hours.reduce((sum, n) => sum + n, 0),
          "entry",
          "entries",
        )}`}</p>
      </div>
    </Section>
  );
}
