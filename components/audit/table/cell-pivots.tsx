"use client";

import { ActionIcon } from "@mantine/core";
import { Ellipsis } from "lucide-react";
import dynamic from "next/dynamic";
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { COLUMN_IDS } from "@/components/audit/state/table-params";
import { useViewer } from "@/components/audit/state/viewer-context";
import { useListeners } from "@/components/ui/key-down";
import type { CellRef } from "./columns";
import classes from "./pivots.module.css";

/** The usual long-press delay on phones. */
const LONG_PRESS_MS = 500;
const MOVE_TOLERANCE_PX = 10;

/** Calls onHeld after a long press on a touch screen and suppresses the click that follows; until the signal aborts. */
function onLongPress(element: HTMLElement, onHeld: (target: EventTarget | null) => void, signal: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start = { x: 0, y: 0 };
  let wasHeld = false;
  const cancel = () => clearTimeout(timer);
  const onDown = ({ pointerType, target, clientX, clientY }: PointerEvent) => {
    wasHeld = false;
    cancel();
    if (pointerType !== "touch") return;
    start = { x: clientX, y: clientY };
    timer = setTimeout(() => {
      wasHeld = true;
      onHeld(target);
    }, LONG_PRESS_MS);
  };
  const onMove = ({ clientX, clientY }: PointerEvent) => {
    if (Math.hypot(clientX - start.x, clientY - start.y) > MOVE_TOLERANCE_PX) cancel();
  };
  const onClick = (event: MouseEvent) => {
    if (!wasHeld) return;
    wasHeld = false;
    event.preventDefault();
    event.stopPropagation();
  };
  const onMenu = (event: Event) => {
    if (event instanceof PointerEvent && event.pointerType === "touch") event.preventDefault();
  };
  element.addEventListener("pointerdown", onDown, { signal });
  element.addEventListener("pointermove", onMove, { signal });
  element.addEventListener("pointerup", cancel, { signal });
  element.addEventListener("pointercancel", cancel, { signal });
  element.addEventListener("contextmenu", onMenu, { signal });
  element.addEventListener("click", onClick, { signal, capture: true });
  signal.addEventListener("abort", cancel);
}

const CellMenu = dynamic(() => import("./cell-menu").then((m) => m.CellMenu), { ssr: false });

const linkOf = (cell: HTMLElement) => cell.closest("tr")?.querySelector<HTMLElement>("[data-entry]");

/**
 * Opens the pivot menu of a cell: through a button that follows the pointer, by "m" or the menu key on the focused
 * entry, or by a long press. One button serves the whole table, because hundreds of cells cannot each have one.
 */
export function CellPivots({ frame }: { frame: RefObject<HTMLElement | null> }) {
  const { entries } = useViewer().audit;
  const [target, setTarget] = useState<CellRef | null>(null);
  const [hovered, setHovered] = useState<HTMLElement | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const find = (cell: HTMLElement | null | undefined): CellRef | null => {
    const entry = cell && entries.find(({ id }) => id === linkOf(cell)?.dataset.entry);
    const column = COLUMN_IDS.find((id) => id === cell?.dataset.column);
    return entry && column ? { entry, cell, column } : null;
  };
  const open = (cell: HTMLElement | null) => setTarget(find(cell));
  useListeners(
    {
      pointerover: ({ target, pointerType }) => {
        if (pointerType === "mouse" && !(target instanceof Node && button.current?.contains(target)))
          setHovered(cellOf(target));
      },
      pointerleave: () => setHovered(null),
      keydown: (event) => {
        if (!isMenuKey(event) || event.ctrlKey || event.metaKey) return;
        if (!(event.target instanceof Element && event.target.matches("[data-entry]"))) return;
        event.preventDefault();
        open(cellOf(event.target));
      },
    },
    () => frame.current,
  );
  const onHeld = useEffectEvent((held: EventTarget | null) => open(cellOf(held)));
  useEffect(() => {
    const gone = new AbortController();
    if (frame.current) onLongPress(frame.current, (held) => onHeld(held), gone.signal);
    return () => gone.abort();
  }, [frame]);
  const close = () => {
    setTarget(null);
    setHovered(null);
    if (target) linkOf(target.cell)?.focus();
  };
  const isHovering = hovered?.isConnected && !target && frame.current;
  return (
    <>
      {isHovering &&
        createPortal(
          <ActionIcon
            ref={button}
            size={24}
            tabIndex={-1}
            className={classes.more}
            aria-label="More from this cell"
            style={positionIn(hovered, isHovering)}
            onClick={() => open(hovered)}
          >
            <Ellipsis size={14} aria-hidden />
          </ActionIcon>,
          isHovering,
        )}
      {target && <CellMenu target={target} find={find} onMove={setTarget} onClose={close} />}
    </>
  );
}

const cellOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>("td[data-column]") : null;
const isMenuKey = ({ key, shiftKey }: KeyboardEvent) =>
  key === "ContextMenu" || (key === "F10" && shiftKey) || key === "m";

/** The position at the end of the cell, relative to the frame. */
function positionIn(cell: HTMLElement, frame: HTMLElement) {
  const [at, origin] = [cell.getBoundingClientRect(), frame.getBoundingClientRect()];
  return {
    top: at.top - origin.top + (at.height - 24) / 2,
    left: at.right - origin.left + frame.scrollLeft - 28,
  };
}
