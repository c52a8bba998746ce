import { Button } from "@mantine/core";
import type { Virtualizer } from "@tanstack/react-virtual";
import type { CSSProperties, ReactNode } from "react";
import { cssVariables } from "./css-variables";
import classes from "./record-table.module.css";
import { VirtualRows } from "./virtual-rows";

type RowButtonProps = {
  label: string;
  onClick: () => void;
  /** Why it is disabled; it stays focusable, so that everyone can read the reason. */
  disabledReason?: string | undefined;
  children: string;
};

/** A subtle action at the end of a row; its label includes the row's name. */
export function RowButton({ label, onClick, disabledReason, children }: RowButtonProps) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      onClick={disabledReason ? undefined : onClick}
      aria-label={disabledReason ? `${label}: ${disabledReason}` : label}
      {...(disabledReason && { title: disabledReason, "data-disabled": true, "aria-disabled": true })}
    >
      {children}
    </Button>
  );
}

export type Column<T> = {
  header: string;
  /** `<small>` in it is a quiet second line. */
  cell: (row: T) => ReactNode;
  /** A quiet second line. */
  note?: (row: T) => ReactNode;
  /** Width in pixels; columns without one share the rest. */
  width?: number;
  /** Hidden in narrow windows; only for information that is not essential. */
  minor?: boolean;
  /** end: actions. figure: a number, which keeps its label on a card. */
  align?: "end" | "figure";
};

type Props<T> = {
  caption: string;
  columns: Column<T>[];
  rows: T[];
  rowKey: (row: T) => string;
  isStale?: boolean;
  isCurrent?: (row: T) => boolean;
  /** Renders only the rows in view; hasMore: others are not loaded. */
  virtual?: Virtualizer<HTMLElement, HTMLTableRowElement>;
  hasMore?: boolean;
};

/** The minimum width of a column without a fixed width. */
const FLEXIBLE_PX = 200;

/** A column's width, and its share in a narrow window, where minor columns are hidden. */
function widthsOf<T>({ width, minor }: Column<T>, columns: Column<T>[]): CSSProperties | undefined {
  if (!width) return undefined;
  const shown = columns.filter((column) => !column.minor);
  const total = shown.reduce((sum, column) => sum + (column.width ?? FLEXIBLE_PX), 0);
  return cssVariables({ "--width": `${width}px`, "--share": minor ? "0" : `${(width / total) * 100}%` });
}

/** A table of records. On a phone each record is a card. */
export function RecordTable<T>({ caption, columns, rows, rowKey, isStale, isCurrent, virtual, hasMore }: Props<T>) {
  const places = virtual?.getVirtualItems().map(({ index }) => index) ?? [...rows.keys()];
  const body = places.map((i) => {
    const row = rows[i];
    return (
      row && (
        <tr
          key={rowKey(row)}
          className={classes.row}
          aria-current={isCurrent?.(row) || undefined}
          {...(virtual && { ref: virtual.measureElement, "data-index": i, "aria-rowindex": i + 2 })}
        >
          {columns.map((column) => (
            <td
              key={column.header}
              data-label={column.header}
              data-minor={column.minor || undefined}
              data-align={column.align}
            >
              {column.cell(row)}
              <Note>{column.note?.(row)}</Note>
            </td>
          ))}
        </tr>
      )
    );
  });
  return (
    <table
      className={`tm-table ${classes.table}`}
      data-stale={isStale || undefined}
      aria-busy={isStale}
      aria-rowcount={virtual && (hasMore ? -1 : rows.length + 1)}
    >
      <caption>{caption}</caption>
      <thead className={classes.head}>
        <tr>
          {columns.map((column) => (
            <th
              key={column.header}
              scope="col"
              style={widthsOf(column, columns)}
              data-minor={column.minor || undefined}
              data-align={column.align}
            >
              {column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{virtual ? <VirtualRows virtual={virtual}>{body}</VirtualRows> : body}</tbody>
    </table>
  );
}

const Note = ({ children }: { children: ReactNode }) => (children ? <small>{children}</small> : null);
