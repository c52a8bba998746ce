"use client";

import { Button, Text, type TextProps, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Copy, Minus } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { labelOf, valueLabel } from "@/components/audit/state/describe-filters";
import { exclude, isSetTo, toggleValue } from "@/components/audit/state/narrow";
import { isLive, type SetView } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { count, counted } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { useCopy } from "@/components/ui/copy/use-copy";
import { readErrorText } from "@/components/ui/notice";
import { FILTERS, type FilterName } from "@/server/audit/query/catalogue";
import classes from "./facets.module.css";
import { FACETS, type FacetValue, facetsQuery } from "./facets-query";
import { FacetsSkeleton } from "./facets-skeleton";

const INITIALLY_SHOWN = 6;
const COUNT_CAP = 10_000;
/** How often the counts of a live list are refreshed. */
const LIVE_POLL_MS = 5_000;

/** Counts of matching entries by value; a click filters by a value, another one excludes it. */
export function Facets() {
  const { view, input } = useViewer();
  const query = useQuery({
    ...facetsQuery(useTRPC(), input),
    refetchInterval: isLive(view) ? LIVE_POLL_MS : false,
  });
  if (query.isPending) return <FacetsSkeleton />;
  if (query.isError)
    return (
      <aside className={classes.facets} aria-label="Filters" data-screen>
        <Note role="alert">{readErrorText(query.error)}</Note>
      </aside>
    );
  const { rows, truncated } = query.data;
  return (
    <aside
      className={classes.facets}
      aria-label="Filters"
      data-screen
      data-stale={query.isPlaceholderData || undefined}
    >
      <Note role="status">
        {truncated
          ? `Counts with a plus cover the newest ${count(rows)} matches; the others cover all of them`
          : counted(rows, "match", "matches")}
      </Note>
      {FACETS.filter(([facet]) => facet !== "organization" || query.data.organization.length > 1 || view.orgId).map(
        ([facet, name]) => (
          <Facet
            key={facet}
            name={name}
            values={query.data[facet]}
            isTruncated={truncated && !query.data.exact.includes(facet)}
            isCut={query.data.cut.includes(facet)}
          />
        ),
      )}
    </aside>
  );
}

const Note = (props: TextProps & { role?: "alert" | "status"; children: ReactNode }) => (
  <Text size="xs" c="dimmed" my={8} className={classes.note} {...props} />
);

type FacetProps = {
  name: FilterName;
  values: FacetValue[];
  isTruncated: boolean;
  /** True if there are rarer values. */
  isCut: boolean;
};

function Facet({ name, values, isTruncated, isCut }: FacetProps) {
  const { view, setView } = useViewer();
  const [all, setAll] = useState(false);
  const shown = all ? values : values.slice(0, INITIALLY_SHOWN);
  if (values.length === 0) return null;
  const most = `${values.length} most frequent`;
  return (
    <details className={classes.facet} open>
      <summary>{labelOf(name)}</summary>
      <ul>
        {shown.map((one) => (
          <Value
            key={one.value}
            label={valueLabel(
              { name, value: one.value },
              new Map([[one.value, name === "actions" ? one.value : one.label]]),
            )}
            isChosen={isSetTo(view, name, one.value)}
            {...{ name, one, isTruncated, setView }}
          />
        ))}
      </ul>
      {all && isCut && <Note>{most}</Note>}
      {values.length > INITIALLY_SHOWN && (
        <Button size="compact-sm" variant="transparent" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? "Fewer" : isCut ? most : `${values.length - INITIALLY_SHOWN} more`}
        </Button>
      )}
    </details>
  );
}

/** "3,214", "3,214+" when older entries were not counted, "10k+" at the cap. */
const amount = (n: number, isTruncated: boolean): string =>
  isTruncated ? (n >= COUNT_CAP ? "10k+" : `${count(n)}+`) : count(n);

type ValueProps = Omit<FacetProps, "values" | "isCut"> & {
  one: FacetValue;
  label: string;
  isChosen: boolean;
  setView: SetView;
};

/** Memoized: there are dozens, and the view changes with every click. */
const Value = memo(function Value({ name, one, label, isTruncated, isChosen, setView }: ValueProps) {
  const { copied, copy } = useCopy();
  return (
    <li className={classes.value}>
      <UnstyledButton
        className={classes.only}
        aria-pressed={isChosen}
        onClick={() => setView((view) => toggleValue(view, name, one.value))}
        title={one.label}
      >
        <span className="tm-clipped">{label}</span>
        <span className="tm-figures tm-quiet">{amount(one.count, isTruncated)}</span>
      </UnstyledButton>
      {"negatable" in FILTERS[name] && (
        <UnstyledButton
          className={classes.tool}
          aria-label={`Exclude ${label}`}
          title="Exclude"
          onClick={() => setView((view) => exclude(view, name, one.value))}
        >
          <Minus size={13} aria-hidden />
        </UnstyledButton>
      )}
      <UnstyledButton
        className={classes.tool}
        aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
        title={copied ? "Copied" : "Copy"}
        onClick={() => void copy(one.value)}
      >
        <Copy size={12} aria-hidden />
      </UnstyledButton>
    </li>
  );
});
