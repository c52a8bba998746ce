/** As long as phones take a touch for a press that is held. */
const HELD_MS = 500;
const MOVED_PX = 10;

/** A finger that rests on a cell asks for its menu, and the lifting of it is no tap. */
export function longPress(onHeld: (target: EventTarget | null) => void) {
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
    }, HELD_MS);
  };
  const onMove = ({ clientX, clientY }: PointerEvent) => {
    if (Math.hypot(clientX - start.x, clientY - start.y) > MOVED_PX) cancel();
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
  const listeners: [string, (event: never) => void, boolean?][] = [
    ["pointerdown", onDown],
    ["pointermove", onMove],
    ["pointerup", cancel],
    ["pointercancel", cancel],
    ["contextmenu", onMenu],
    ["click", onClick, true],
  ];
  return {
    listen: (element: HTMLElement) => {
      for (const [name, listener, capture] of listeners)
        element.addEventListener(name, listener as EventListener, capture);
    },
    ignore: (element: HTMLElement) => {
      cancel();
      for (const [name, listener, capture] of listeners)
        element.removeEventListener(name, listener as EventListener, capture);
    },
  };
}
