"use client";

import { useState } from "react";
import type { ColumnId, Widths } from "@/components/audit/state/table-params";
import { ColumnEdge } from "./column-edge";
import { type Column, widthOf } from "./columns";
import classes from "./entry-head.module.css";

type Props = { columns: Column[]; widths: Widths; onWidth: (id: ColumnId, width: number) => void };

/** The column headings with resize handles. During a drag only the heading resizes; the width is saved on release. */
export function EntryHead({ columns, widths, onWidth }: Props) {
  const [dragged, setDragged] = useState<Widths>({});
  const flexible = columns.findIndex(({ width }) => width === 0);
  const saveWidth = (id: ColumnId, width: number) => {
    setDragged({});
    onWidth(id, width);
  };
  return (
    <thead className={classes.head}>
      <tr>
        {columns.map((column, at) => {
          const width = widthOf(column, { ...widths, ...dragged });
          return (
            <th
              key={column.id}
              scope="col"
              aria-label={column.header}
              aria-sort={column.id === "time" ? "descending" : undefined}
              data-column={column.id}
              data-from={column.from}
              data-align={column.align}
              style={{ width: width || undefined }}
            >
              {column.header}
              {width > 0 && (
                <ColumnEdge
                  of={column.header}
                  width={width}
                  defaultWidth={column.width}
                  side={at < flexible ? "end" : "start"}
                  onDrag={(now) => setDragged({ [column.id]: now })}
                  onWidth={(now) => saveWidth(column.id, now)}
                />
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
