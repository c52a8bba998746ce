/** The usual long-press delay on phones. */
const LONG_PRESS_MS = 500;
const MOVE_TOLERANCE_PX = 10;

/** Calls onHeld after a long press on a touch screen and suppresses the click that follows; until the signal aborts. */
export function onLongPress(
  element: HTMLElement,
  onHeld: (target: EventTarget | null) => void,
  signal: AbortSignal,
): void {
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
