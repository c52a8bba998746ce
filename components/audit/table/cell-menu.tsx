"use client";

import { useViewer } from "@/components/audit/state/viewer-context";
import { type CellRef, useTable } from "./columns";
import { PivotMenu } from "./pivot-menu";
import { cellText, pivotsOf } from "./pivots";

type Props = {
  target: CellRef;
  find: (cell: HTMLElement | null | undefined) => CellRef | null;
  onMove: (target: CellRef) => void;
  onClose: () => void;
};

const isShown = (cell: HTMLElement) => cell.offsetParent !== null;

/** The menu of a table cell; Left and Right move to the adjacent cells. */
export function CellMenu({ target, find, onMove, onClose }: Props) {
  const { columns, context } = useTable();
  const { view, setView } = useViewer();
  const { entry, column, cell } = target;
  const step = (by: 1 | -1) => {
    const cells = [...(cell.parentElement?.querySelectorAll<HTMLElement>(":scope > *") ?? [])].filter(isShown);
    const next = find(cells[cells.indexOf(cell) + by]);
    if (next) onMove(next);
  };
  const header = columns.find(({ id }) => id === column)?.header ?? "";
  return (
    <PivotMenu
      title={`${header}: ${cellText(entry, column, context) || "none"}`}
      pivots={pivotsOf(target, view, context)}
      anchor={cell}
      onStep={step}
      onChange={(change) => {
        onClose();
        setView(change);
      }}
      onClose={onClose}
    />
  );
}
