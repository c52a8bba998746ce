"use client";

import { Text, UnstyledButton } from "@mantine/core";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { togglePin, usePins } from "@/components/audit/state/pins";
import { useViewer } from "@/components/audit/state/viewer-context";
import { copyText } from "@/components/ui/copy/use-copy";
import { useListeners } from "@/components/ui/key-down";
import { positionBeside } from "@/components/ui/popover/position";
import { type CellRef, COLUMN, useTable } from "./columns";
import { type Pivot, pivotsOf } from "./pivots";
import classes from "./pivots.module.css";

const COPIED_MS = 700;

type Props = {
  target: CellRef;
  find: (cell: HTMLElement | null | undefined) => CellRef | null;
  onMove: (target: CellRef) => void;
  onClose: () => void;
};

const isShown = (cell: HTMLElement) => cell.offsetParent !== null;

/** The menu of a table cell: Up and Down move within it, Left and Right to the adjacent cells. */
export function CellMenu({ target, find, onMove, onClose }: Props) {
  const { context } = useTable();
  const { view, setView } = useViewer();
  const { entry, column, cell } = target;
  const title = `${COLUMN[column].header}: ${COLUMN[column].text(entry, context) || "none"}`;
  const box = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const pins = usePins();
  const [copyState, setCopyState] = useState<"Copied" | "Could not copy" | null>(null);
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    positionBeside(cell, element, "start");
    (element.querySelector<HTMLElement>("[role=menuitem]") ?? element).focus();
  }, [cell]);
  useListeners({
    pointerdown: ({ target }) => (target instanceof Node && box.current?.contains(target)) || onClose(),
    scroll: onClose,
  });
  const pick = async (pivot: Pivot) => {
    if ("change" in pivot) {
      onClose();
      return setView(pivot.change);
    }
    if ("path" in pivot) return router.push(pivot.path);
    if ("pin" in pivot) {
      togglePin(pivot.pin);
      return onClose();
    }
    const isCopied = await copyText(pivot.copy);
    setCopyState(isCopied ? "Copied" : "Could not copy");
    if (isCopied) setTimeout(onClose, COPIED_MS);
  };
  const step = (by: 1 | -1) => {
    const cells = [...(cell.parentElement?.querySelectorAll<HTMLElement>(":scope > *") ?? [])].filter(isShown);
    const next = find(cells[cells.indexOf(cell) + by]);
    if (next) onMove(next);
  };
  const focusAt = (at: number) =>
    items()
      .at(at % items().length)
      ?.focus();
  const onKeyDown = (event: KeyboardEvent) => {
    const active = document.activeElement;
    const at = active instanceof HTMLElement ? items().indexOf(active) : -1;
    const moves: Record<string, () => void> = {
      ArrowDown: () => focusAt(at + 1),
      ArrowUp: () => focusAt(at - 1),
      Home: () => focusAt(0),
      End: () => focusAt(-1),
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      Escape: onClose,
      Tab: onClose,
    };
    const move = moves[event.key];
    // Keeps the keys from the list's own shortcuts.
    event.stopPropagation();
    if (!move) return;
    event.preventDefault();
    move();
  };
  return (
    <div
      ref={box}
      role="menu"
      tabIndex={-1}
      aria-label={title}
      className={`tm-float ${classes.menu}`}
      onKeyDown={onKeyDown}
      data-screen
    >
      <Text size="xs" c="dimmed" truncate p="4px 8px" aria-hidden>
        {title}
      </Text>
      {pivotsOf(target, view, context).map((pivot) => (
        <UnstyledButton
          key={pivot.label}
          role="menuitem"
          data-mantine-stop-propagation="true"
          tabIndex={-1}
          className="tm-option"
          onClick={() => void pick(pivot)}
        >
          {"pin" in pivot && pins.includes(pivot.pin) ? "Unpin" : ("copy" in pivot && copyState) || pivot.label}
        </UnstyledButton>
      ))}
    </div>
  );
}
