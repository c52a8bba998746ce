import { VisuallyHidden } from "@mantine/core";
import { count } from "@/components/format/amounts";
import { cssVariables } from "@/components/ui/css-variables";
import classes from "./chart.module.css";
import { ticksFor } from "./scale";

export type Bar = { key: string; name: string; count: number };

const SHOWN = 10;

/** The ten largest counts as bars; each also shows its value as text. */
export function Chart({ title, bars }: { title: string; bars: Bar[] }) {
  const shown = bars.slice(0, SHOWN);
  const ticks = ticksFor(Math.max(...shown.map((bar) => bar.count)));
  const end = ticks.at(-1) ?? 1;
  const of = bars.length > SHOWN ? `the ${SHOWN} largest of ${count(bars.length)}` : `all ${count(bars.length)}`;
  return (
    <figure className={classes.chart}>
      <figcaption>
        {title}: {bars.length === 1 ? "the only one" : of}
      </figcaption>
      <ul>
        {shown.map((bar) => (
          <li key={bar.key} style={cssVariables({ "--part": `${(bar.count / end) * 100}%` })}>
            <span className={classes.name} title={bar.name}>
              {bar.name}
            </span>
            <span className={classes.track} aria-hidden />
            <span className={classes.value}>
              {count(bar.count)}
              <VisuallyHidden> {bar.count === 1 ? "entry" : "entries"}</VisuallyHidden>
            </span>
          </li>
        ))}
      </ul>
      <div className={classes.axis} aria-hidden>
        {ticks.map((tick) => (
          <span key={tick} style={cssVariables({ "--at": `${(tick / end) * 100}%` })}>
            {count(tick)}
            {tick === end && <i>{tick === 1 ? "entry" : "entries"}</i>}
          </span>
        ))}
      </div>
    </figure>
  );
}
