import { Skeleton, Stack } from "@mantine/core";
import classes from "./entry-detail.module.css";

/** An entry's shape until it is there. */
export function DetailSkeleton() {
  return (
    <Stack p="xl" gap="lg" role="status" aria-label="Loading the entry">
      <Skeleton height={20} width="70%" />
      <Skeleton height={12} width="40%" />
      <Skeleton height={160} />
    </Stack>
  );
}

/** The panel beside the list until its own script is there; below the width that has room for it, nothing. */
export function PanelSkeleton() {
  return (
    <div className={`${classes.panel} ${classes.wide}`}>
      <DetailSkeleton />
    </div>
  );
}
