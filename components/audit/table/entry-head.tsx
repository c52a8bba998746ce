"use client";

import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import type { ColumnId, Widths } from "@/components/audit/state/table-params";
import { type Column, widthOf } from "./columns";
import classes from "./entry-head.module.css";

const MIN_PX = 48;
const MAX_PX = 960;
const STEP_PX = 8;
const LARGE_STEP_PX = 40;

type ColumnEdgeProps = {
  of: string;
  width: number;
  /** Its default width. */
  defaultWidth: number;
  /** Columns to the right of the flexible one grow leftwards, so that the edge stays under the pointer. */
  side: "start" | "end";
  onDrag: (width: number) => void;
  onWidth: (width: number) => void;
};

const clampWidth = (width: number) => Math.round(Math.min(Math.max(width, MIN_PX), MAX_PX));

/** A column's resize handle: drag it or use the arrow keys; a double click or Delete resets the width. */
function ColumnEdge({ of, width, defaultWidth, side, onDrag, onWidth }: ColumnEdgeProps) {
  const sign = side === "end" ? 1 : -1;
  const from = useRef<{ x: number; width: number } | null>(null);
  const widthAt = ({ clientX }: PointerEvent) =>
    from.current ? clampWidth(from.current.width + sign * (clientX - from.current.x)) : width;
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { x: event.clientX, width };
  };
  const onPointerUp = (event: PointerEvent) => {
    const now = widthAt(event);
    const moved = from.current !== null && from.current.width !== now;
    from.current = null;
    if (moved) onWidth(now);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? LARGE_STEP_PX : STEP_PX;
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
    if (by) onWidth(clampWidth(width + sign * by));
    else if (event.key === "Delete") onWidth(defaultWidth);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr is static; this is a focusable separator with a value.
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${of}`}
      aria-valuenow={width}
      aria-valuemin={MIN_PX}
      aria-valuemax={MAX_PX}
      aria-valuetext={`${width} pixels`}
      tabIndex={0}
      className={classes.edge}
      data-side={side}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => from.current && onDrag(widthAt(event))}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onDoubleClick={() => onWidth(defaultWidth)}
      onKeyDown={onKeyDown}
    />
  );
}

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
