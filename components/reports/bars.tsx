"use client";

import "@mantine/charts/styles.layer.css";
import { BarChart } from "@mantine/charts";

export type Bar = { name: string; count: number };

/** Counts as bars. The table beside it says the same in text, so readers of screens are spared the drawing. */
export function Bars({ bars, height }: { bars: Bar[]; height: number }) {
  return (
    <div aria-hidden>
      <BarChart
        h={height}
        data={bars}
        dataKey="name"
        orientation="vertical"
        series={[{ name: "count", label: "Entries", color: "teal.6" }]}
        gridAxis="none"
        tickLine="none"
        withTooltip
        xAxisProps={{ allowDecimals: false }}
        yAxisProps={{ width: 164, interval: 0 }}
        barChartProps={{ accessibilityLayer: false }}
        barProps={{ isAnimationActive: false, maxBarSize: 18 }}
        tooltipAnimationDuration={0}
      />
    </div>
  );
}
