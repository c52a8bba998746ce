import type { Virtualizer } from "@tanstack/react-virtual";
import type { ReactNode } from "react";
import classes from "./virtual-rows.module.css";

type Props<Scroll extends Element | Window> = {
  virtual: Virtualizer<Scroll, HTMLTableRowElement>;
  children: ReactNode;
};

/** The visible rows of a table, between spacers for the others. */
export function VirtualRows<Scroll extends Element | Window>({ virtual, children }: Props<Scroll>) {
  const items = virtual.getVirtualItems();
  const top = virtual.options.scrollMargin;
  const before = (items[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top);
  return (
    <>
      {before > 0 && <Spacer height={before} />}
      {children}
      {after > 0 && <Spacer height={after} />}
    </>
  );
}

const Spacer = ({ height }: { height: number }) => (
  <tr aria-hidden className={classes.spacer} style={{ height }}>
    <td />
  </tr>
);
