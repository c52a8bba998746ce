import { Skeleton } from "@mantine/core";
import classes from "./popover.module.css";

/** What a popover shows while its content's script is on its way: opened empty, it looks broken. */
export function PopoverSkeleton() {
  return (
    <div className={classes.loading} role="status" aria-label="Loading">
      {[60, 80, 70].map((width) => (
        <Skeleton key={width} height={12} width={`${width}%`} />
      ))}
    </div>
  );
}
