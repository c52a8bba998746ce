import { Skeleton, Stack } from "@mantine/core";
import classes from "./entry-detail.module.css";

export function DetailSkeleton() {
  return (
    <Stack p="xl" gap="lg" role="status" aria-label="Loading the entry">
      <Skeleton height={20} width="70%" />
      <Skeleton height={12} width="40%" />
      <Skeleton height={160} />
    </Stack>
  );
}

/** Placeholder while the panel's script loads; hidden if the window is too narrow for the panel. */
export function PanelSkeleton() {
  return (
    <div className={`${classes.panel} ${classes.wide}`} data-screen>
      <DetailSkeleton />
    </div>
  );
}
