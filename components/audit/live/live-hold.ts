import { type RefObject, useCallback, useEffect, useState } from "react";

/** The height of the sticky page header, under which rows scroll. */
const HEADER_PX = 52;

type Options = {
  table: RefObject<HTMLTableElement | null>;
  dock: RefObject<HTMLElement | null>;
  isDrawerOpen: boolean;
};
/** Why rows must not move: the user has scrolled down, or is hovering, has focused or has opened a row. */
export type Hold = { isScrolled: boolean; isInUse: boolean };

export const isFree = ({ isScrolled, isInUse }: Hold): boolean => !isScrolled && !isInUse;

const hasMouse = () => window.matchMedia("(hover: hover)").matches;

/**
 * Whether the rows of the table must stay where they are: read now (readHold) or as state (hold). Hovering over the
 * pill counts too, because it would disappear under the pointer.
 */
export function useHold({ table, dock, isDrawerOpen }: Options): { hold: Hold; readHold: () => Hold } {
  const readHold = useCallback((): Hold => {
    const list = table.current?.parentElement;
    const isPointedAt = hasMouse() && (list?.matches(":hover") || dock.current?.matches(":hover"));
    const hasFocus = table.current?.contains(document.activeElement);
    // A cell's menu may be rendered in a portal.
    const hasMenu = document.querySelector("[role=menu]") !== null;
    const top = table.current?.getBoundingClientRect().top ?? HEADER_PX;
    return { isScrolled: top < HEADER_PX - 1, isInUse: Boolean(isPointedAt || hasFocus || hasMenu || isDrawerOpen) };
  }, [table, dock, isDrawerOpen]);
  const [hold, setHold] = useState<Hold>(readHold);
  useEffect(() => {
    const update = () =>
      setHold((was) => {
        const is = readHold();
        return is.isScrolled === was.isScrolled && is.isInUse === was.isInUse ? was : is;
      });
    update();
    const events = ["pointerover", "pointerout", "focusin", "focusout", "scroll"] as const;
    // During focusout, document.activeElement has not changed yet.
    const onEvent = () => requestAnimationFrame(update);
    for (const name of events) document.addEventListener(name, onEvent, { passive: true });
    return () => {
      for (const name of events) document.removeEventListener(name, onEvent);
    };
  }, [readHold]);
  return { hold, readHold: readHold };
}
