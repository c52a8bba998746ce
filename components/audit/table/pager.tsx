import { Button } from "@mantine/core";
import { ArrowLeft, ArrowRight } from "lucide-react";
import classes from "@/components/audit/viewer.module.css";

type Props = { cursor: string | null; nextCursor: string | null; onPage: (cursor: string | null) => void };

/** On to older entries, or back to the newest; the browser's own Back goes one page up. */
export function Pager({ cursor, nextCursor, onPage }: Props) {
  if (!cursor && !nextCursor) return null;
  return (
    <nav className={classes.pager} aria-label="Pages of entries">
      <Button
        variant="default"
        disabled={!cursor}
        leftSection={<ArrowLeft size={15} aria-hidden />}
        onClick={() => onPage(null)}
      >
        Newest
      </Button>
      <Button
        variant="default"
        disabled={!nextCursor}
        rightSection={<ArrowRight size={15} aria-hidden />}
        onClick={() => onPage(nextCursor)}
      >
        Older
      </Button>
    </nav>
  );
}
