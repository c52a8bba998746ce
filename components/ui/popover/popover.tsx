"use client";

import { Skeleton } from "@mantine/core";
import { useFocusTrap, useMergedRef } from "@mantine/hooks";
import {
  cloneElement,
  createContext,
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
  type RefObject,
  useContext,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
} from "react";
import { cssVariables } from "@/components/ui/css-variables";
import { useListeners } from "@/components/ui/key-down";
import classes from "./popover.module.css";
import { type Align, positionBeside } from "./position";

/** Placeholder while a popover's content loads; empty, it would look broken. */
export function PopoverSkeleton() {
  return (
    <div className={classes.loading} role="status" aria-label="Loading">
      {[60, 80, 70].map((width) => (
        <Skeleton key={width} height={12} width={`${width}%`} />
      ))}
    </div>
  );
}

type State = { id: string; opened: boolean; onClose: () => void; align: Align; width: number };
type PopoverState = State & { anchor: RefObject<HTMLElement | null> };

const Context = createContext<PopoverState | null>(null);

function usePopover(): PopoverState {
  const shared = useContext(Context);
  if (!shared) throw new Error("Popover.Target and Popover.Dropdown belong inside a Popover");
  return shared;
}

type Props = { opened: boolean; onClose: () => void; align?: Align; width: number; children: ReactNode };

/**
 * A small dialog beside the button that opens it. It is on every page, so it uses only code that is loaded anyway:
 * Mantine's own adds 45 KB of scripts.
 */
export function Popover({ align = "start", children, ...state }: Props) {
  const anchor = useRef<HTMLElement>(null);
  const id = useId();
  return <Context value={{ ...state, align, id, anchor }}>{children}</Context>;
}

type Button = HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement> };

/** The button; its own onClick opens and closes the popover. */
function Target({ children }: { children: ReactElement<Button> }) {
  const { id, opened, anchor } = usePopover();
  const ref = useMergedRef(anchor, children.props.ref);
  return cloneElement(children, {
    ref,
    "aria-haspopup": "dialog",
    "aria-expanded": opened,
    "aria-controls": opened ? id : undefined,
  });
}

type BoxProps = { "aria-label": string; className?: string; children: ReactNode };

function Dropdown(props: BoxProps) {
  return usePopover().opened ? <Box {...props} /> : null;
}

function Box({ children, className, ...rest }: BoxProps) {
  const { id, anchor, onClose, align, width } = usePopover();
  const box = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(box, useFocusTrap());
  usePosition(anchor, box, align);
  useFirstFocus(box);
  useReturnedFocus(anchor, box);
  useOutside(anchor, box, onClose);
  const onKeyDown = (event: KeyboardEvent) => {
    // An open list inside handles the first Escape itself.
    const isListOpen = event.target instanceof Element && event.target.ariaExpanded === "true";
    if (event.key !== "Escape" || isListOpen) return;
    event.stopPropagation();
    onClose();
  };
  return (
    <div
      {...rest}
      id={id}
      role="dialog"
      tabIndex={-1}
      className={`tm-float ${classes.dropdown} ${className ?? ""}`}
      style={cssVariables({ "--popover-width": `${width}px` })}
      onKeyDown={onKeyDown}
      ref={ref}
    >
      <div>{children}</div>
    </div>
  );
}

type ElementRef = RefObject<HTMLElement | null>;

/** Keeps the box beside its anchor when the page scrolls, the window resizes or the content grows. */
function usePosition(anchor: ElementRef, box: ElementRef, align: Align) {
  const position = useEffectEvent(() => {
    if (anchor.current && box.current) positionBeside(anchor.current, box.current, align);
  });
  useListeners({ resize: () => position(), scroll: () => position() }, () => window);
  useLayoutEffect(() => {
    position();
    const sizes = new ResizeObserver(() => position());
    for (const content of box.current?.children ?? []) sizes.observe(content);
    return () => sizes.disconnect();
  }, [box]);
}

/** Focuses content that loads after opening; until then the dialog itself has the focus. */
function useFirstFocus(box: ElementRef) {
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new MutationObserver(() => {
      if (document.activeElement !== element) return;
      const first =
        element.querySelector<HTMLElement>("[data-autofocus]") ??
        element.querySelector<HTMLElement>("a[href], button, input, select");
      first?.focus();
    });
    watch.observe(element, { childList: true, subtree: true });
    return () => watch.disconnect();
  }, [box]);
}

/** Returns the focus to the button, unless a click has moved it elsewhere. */
function useReturnedFocus(anchor: ElementRef, box: ElementRef) {
  useLayoutEffect(() => {
    const [from, element] = [anchor.current, box.current];
    return () => {
      if (element?.contains(document.activeElement)) from?.focus();
    };
  }, [anchor, box]);
}

function useOutside(anchor: ElementRef, box: ElementRef, onClose: () => void) {
  useListeners({
    pointerdown: ({ target }) => {
      if (!(target instanceof Node)) return;
      const isInside = [anchor, box].some((inside) => inside.current?.contains(target));
      if (!isInside) onClose();
    },
    // If the focused element was removed, keys go to the body.
    keydown: ({ key, target }) => {
      if (key === "Escape" && target === document.body) onClose();
    },
  });
}

Popover.Target = Target;
Popover.Dropdown = Dropdown;
