import { Skeleton } from "@mantine/core";
import classes from "./popover.module.css";

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
