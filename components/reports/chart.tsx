"use client";

import { Anchor, Button, Text, VisuallyHidden } from "@mantine/core";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { count, counted } from "@/components/format/amounts";
import { cssVariables } from "@/components/ui/css-variables";
import { Notice } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import { type Column, RecordTable } from "@/components/ui/record-table";
import classes from "./chart.module.css";
import reportsClasses from "./reports.module.css";

const MAX_STEPS = 4;

/** Axis ticks from 0 to beyond the largest count: at most five integers, spaced by 1, 2 or 5 times a power of ten. */
export function ticksFor(largest: number): number[] {
  const least = Math.max(1, largest / MAX_STEPS);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10);
  const steps = Math.max(1, Math.ceil(largest / step));
  return Array.from({ length: steps + 1 }, (_, at) => at * step);
}

export type Count = { key: string; name: string; detail?: ReactNode; count: number; href: string | undefined };

/** The rest is behind a button, and in the CSV file. */
const SHOWN_ROWS = 20;

type Props = { title: string; head: string; counts: Count[]; more?: Column<Count>[] };

/** Counts as a chart and as a table; each number links to its entries. */
export function Counts({ title, head, counts, more = [] }: Props) {
  const [showsAll, setShowsAll] = useState(false);
  if (counts.length === 0) return null;
  return (
    <Section title={title} flush>
      <div className={reportsClasses.pair}>
        <Chart title={title} bars={counts} />
        <div>
          <CountTable
            title={title}
            heads={[head, "Entries"]}
            counts={showsAll ? counts : counts.slice(0, SHOWN_ROWS)}
            more={more}
          />
          {counts.length > SHOWN_ROWS && !showsAll && (
            <Text px={24} py="md" data-screen>
              <Button variant="default" size="xs" onClick={() => setShowsAll(true)}>
                Show all {count(counts.length)}
              </Button>
            </Text>
          )}
        </div>
      </div>
    </Section>
  );
}

type TableProps = Pick<Props, "title" | "counts" | "more"> & { heads: [name: string, count: string] };

export const CountTable = ({ title, heads: [name, count], counts, more = [] }: TableProps) => (
  <RecordTable
    caption={title}
    columns={[
      {
        header: name,
        cell: (c) => (
          <span>
            {c.name}
            {c.detail && <small>{c.detail}</small>}
          </span>
        ),
      },
      ...more,
      { header: count, width: 120, align: "end", cell: (c) => <NumberLink href={c.href}>{c.count}</NumberLink> },
    ]}
    rows={counts}
    rowKey={({ key }) => key}
  />
);

type NumberLinkProps = { href: string | undefined; unit?: "entries"; children: number };

/**
 * A number that links to its entries, where a filter shows exactly those. Within text the unit is part of the link, so
 * that it is not marked by color alone.
 */
export function NumberLink({ href, unit, children }: NumberLinkProps) {
  const text = unit ? counted(children, "entry", unit) : count(children);
  if (!href) return <span className="tm-figures">{text}</span>;
  return (
    <Anchor component={Link} href={href} prefetch={false} fz="inherit" fw="inherit" className="tm-figures">
      {text}
    </Anchor>
  );
}

export const Nothing = () => (
  <Notice title="No entries in this range">Choose a longer one, or another organization.</Notice>
);

type Bar = { key: string; name: string; count: number };

const SHOWN = 10;

/** The ten largest counts as bars; each also shows its value as text. */
function Chart({ title, bars }: { title: string; bars: Bar[] }) {
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
