"use client";

import { ActionIcon, type ActionIconProps } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import type { LucideIcon } from "lucide-react";
import {
  type ButtonHTMLAttributes,
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  type Ref,
  useEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { useKeyDown } from "@/components/ui/key-down";
import { positionBeside } from "./position";
import classes from "./tip.module.css";

type Named = HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement> };

/** A tooltip that names an icon button on hover and keyboard focus. */
export function Tip({ label, children }: { label: string; children: ReactElement<Named> }) {
  const [isShown, setIsShown] = useState(false);
  const anchor = useRef<HTMLElement>(null);
  const ref = useMergedRef(anchor, children.props.ref);
  const hide = () => setIsShown(false);
  return (
    <>
      {cloneElement(children, {
        ref,
        onPointerEnter: ({ pointerType }) => setIsShown(pointerType === "mouse"),
        onPointerLeave: hide,
        onPointerDown: hide,
        onFocus: ({ currentTarget }) => setIsShown(currentTarget.matches(":focus-visible")),
        onBlur: hide,
      })}
      {isShown && <Label text={label} anchor={anchor.current} onEscape={hide} />}
    </>
  );
}

type IconButtonProps = Pick<ActionIconProps, "size" | "variant" | "disabled" | "loading"> &
  Pick<ButtonHTMLAttributes<HTMLButtonElement>, "onClick" | "aria-keyshortcuts"> & {
    label: string;
    /** The tooltip, if it says more. */
    tip?: string;
    icon: LucideIcon;
  };

/** An icon button with a tooltip. */
export const IconButton = ({ label, tip = label, icon: Icon, ...props }: IconButtonProps) => (
  <Tip label={tip}>
    <ActionIcon size={32} aria-label={label} {...props}>
      <Icon size={15} aria-hidden />
    </ActionIcon>
  </Tip>
);

/**
 * The element that contains the tooltip: the anchor's landmark. For a dialog it is the body, because a transformed
 * drawer would become the containing block of "position: fixed".
 */
const hostOf = (anchor: HTMLElement | null): Element =>
  (anchor?.closest('[role="dialog"]') ? null : anchor?.closest("header, nav, main")) ?? document.body;

type LabelProps = { text: string; anchor: HTMLElement | null; onEscape: () => void };

function Label({ text, anchor, onEscape }: LabelProps) {
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (anchor && box.current) positionBeside(anchor, box.current, "center");
  });
  useKeyDown(({ key }) => key === "Escape" && onEscape());
  return createPortal(
    <span role="tooltip" className={classes.tip} ref={box} data-screen>
      {text}
    </span>,
    hostOf(anchor),
  );
}
