"use client";

import { Anchor } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { count, counted } from "@/components/format/amounts";
import { Notice } from "@/components/ui/notice";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { Section } from "@/components/ui/section";
import { Chart } from "./chart";
import classes from "./reports.module.css";

export type Count = { key: string; name: string; detail?: ReactNode; count: number; href: string | undefined };

/** The CSV file has all of them. */
const SHOWN_ROWS = 50;

type Props = { title: string; head: string; counts: Count[]; more?: Column<Count>[] };

/** Counts as a chart and as a table; each number links to its entries. */
export function Counts({ title, head, counts, more = [] }: Props) {
  if (counts.length === 0) return null;
  const columns: Column<Count>[] = [
    {
      header: head,
      cell: (c) => (
        <span className={classes.name}>
          {c.name}
          {c.detail && <span>{c.detail}</span>}
        </span>
      ),
    },
    ...more,
    {
      header: "Entries",
      width: 120,
      align: "end",
      cell: (c) => <NumberLink href={c.href}>{c.count}</NumberLink>,
    },
  ];
  return (
    <Section title={title} flush>
      <div className={classes.pair}>
        <Chart title={title} bars={counts} />
        <div>
          <RecordTable caption={title} columns={columns} rows={counts.slice(0, SHOWN_ROWS)} rowKey={(c) => c.key} />
          {counts.length > SHOWN_ROWS && (
            <p className={classes.more}>{count(counts.length - SHOWN_ROWS)} more are in the CSV file.</p>
          )}
        </div>
      </div>
    </Section>
  );
}

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
