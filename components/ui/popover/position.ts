const GAP_PX = 6;
const EDGE_PX = 8;

export type Align = "start" | "center" | "end";

function leftOf(anchor: DOMRect, width: number, align: Align): number {
  if (align === "start") return anchor.left;
  return align === "end" ? anchor.right - width : anchor.left + (anchor.width - width) / 2;
}

/** Places a fixed box below its anchor, or above if there is more room, within the window. */
export function positionBeside(anchor: HTMLElement, box: HTMLElement, align: Align): void {
  const at = anchor.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  Object.assign(box.style, { maxHeight: "", overflowY: "" });
  const below = clientHeight - at.bottom - GAP_PX - EDGE_PX;
  const above = at.top - GAP_PX - EDGE_PX;
  const isBelow = box.offsetHeight <= below || below >= above;
  const room = isBelow ? below : above;
  // Scrolls only if necessary: a scroll container would clip lists that open inside.
  if (box.offsetHeight > room) Object.assign(box.style, { maxHeight: `${room}px`, overflowY: "auto" });
  const left = Math.min(leftOf(at, box.offsetWidth, align), clientWidth - box.offsetWidth - EDGE_PX);
  box.style.left = `${Math.max(EDGE_PX, left)}px`;
  box.style.top = `${isBelow ? at.bottom + GAP_PX : at.top - GAP_PX - box.offsetHeight}px`;
}
