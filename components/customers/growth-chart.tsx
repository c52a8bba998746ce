"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { barsOf, describeAllBars, describeBars, sumOf } from "@/components/audit/histogram/bars";
import { useZone } from "@/components/format/zone";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import { Failure } from "@/components/ui/notice";
import classes from "./organization.module.css";

/** The minimum height of a day that has entries. */
const MIN_HEIGHT = 2;

/** Entries per day over the last 30 days, by the time of the event. */
export function GrowthChart({ orgId, from }: { orgId: string; from: string }) {
  const { zone } = useZone();
  const query = useQuery(useTRPC().audit.histogram.queryOptions({ orgId: [orgId], from, zone }, { trpc: UNBATCHED }));
  if (query.isError)
    return <Failure error={query.error} onRetry={() => void query.refetch()} what="the entries over time" />;
  if (!query.data) return <Skeleton height={120} />;
  const bars = barsOf(query.data);
  if (bars.length === 0) return <p className={classes.none}>No entries in the last 30 days.</p>;
  const max = Math.max(1, ...bars.map(sumOf));
  return (
    <figure className={classes.chart}>
      <svg viewBox={`0 0 ${bars.length} 100`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((bar, x) => {
          const height = sumOf(bar) > 0 ? Math.max(MIN_HEIGHT, (sumOf(bar) / max) * 100) : 0;
          return (
            <rect key={bar.from.getTime()} x={x + 0.1} width={0.8} y={100 - height} height={height}>
              <title>{describeBars([bar], zone)}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>{`${describeBars(bars, zone).split(":")[0]}: ${describeAllBars(bars, query.data.step)}`}</figcaption>
    </figure>
  );
}
