import type { ReactNode } from "react";
import classes from "./figures.module.css";

export type Figure = {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  /** Room for a long value, such as a date with time. */
  wide?: boolean;
};

/** The key figures of a page, in one row. */
export function Figures({ label, items }: { label: string; items: Figure[] }) {
  return (
    <dl className={classes.figures} aria-label={label}>
      {items.map((item) => (
        <div key={item.label} data-wide={item.wide || undefined}>
          <dt>{item.label}</dt>
          <dd>
            <span className={classes.value}>{item.value}</span>
            {item.note && <span className={classes.note}>{item.note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
