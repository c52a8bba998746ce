import { Skeleton } from "@mantine/core";
import classes from "./facets.module.css";

/** Placeholder while the panel and its counts load. */
export function FacetsSkeleton() {
  return (
    <aside className={classes.facets} aria-label="Filters" aria-busy data-screen>
      {[72, 54, 66, 48, 60, 50, 70].map((width) => (
        <Skeleton key={width} height={12} width={`${width}%`} my={14} />
      ))}
    </aside>
  );
}
