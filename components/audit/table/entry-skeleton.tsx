import { Skeleton } from "@mantine/core";
import classes from "@/components/audit/viewer.module.css";

const WIDTHS = ["46%", "38%", "52%", "41%", "35%", "49%", "44%", "37%", "51%", "40%"];

/** The list's shape before its first rows are there. */
export function EntrySkeleton() {
  return (
    <div className={classes.skeleton} role="status" aria-label="Loading the audit log">
      {WIDTHS.map((width) => (
        <div key={width}>
          <Skeleton height={10} width={56} />
          <Skeleton height={10} width={width} />
          <Skeleton height={10} width={64} ml="auto" />
        </div>
      ))}
    </div>
  );
}
